// A plan as the command line wrote it (examples/cli/view_data.hpp), and what follows from it: who
// makes and uses a value, local shapes and bytes, and what is live when.
'use strict';

/**
 * @typedef {[number, number, number]} AxisRef  number in the mesh, pre-size, size
 * @typedef {{name: string, axes: [string, number][], devices: number[]}} Mesh
 * @typedef {{mesh: Mesh, dims: AxisRef[][], unreduced: AxisRef[]}} Sharding
 * @typedef {{dtype: string, bytes: number, shape: number[] | null}} Type
 *
 * Why an axis is not on a value: where it stopped (`at`; dimension -1: whatever the dimension), what
 * has it there, and the reasons, in whose text {} stands for a value; how many more stops are alike.
 * @typedef {{value: number, dim: number}} PlaceOfDim
 * @typedef {{axis: string, at: PlaceOfDim, neighbour: PlaceOfDim | null, through: string, distance: number,
 *   others: number, reasons: {text: string, value: number}[]}} MissingAxis
 *
 * A row of `shardprop report`. `values` are those of its places.
 * @typedef {{kind: string, measure: string, bytes: number, count: number, in_loop: boolean, summary: string,
 *   reason: string, won?: string, suggestion?: string, values: number[]}} Finding
 */

class Plan {
  /** @param {any} data */
  constructor(data) {
    this.data = data;
    this.title = data.title;
    this.opCount = data.ops.name.length;
    this.valueCount = data.values.name.length;
    /** @type {Mesh[]} */
    this.meshes = data.meshes;
    /** @type {Type[]} */
    this.types = data.types.map(
        (/** @type {any} */ t) => ({dtype: t[0], bytes: t[1], shape: t[2]}));
    /** @type {Sharding[]} */
    this.shardings = data.shardings.map((/** @type {any} */ s) => ({
      mesh: this.meshes[s[0]], dims: s[1], unreduced: s[2],
    }));
    /** @type {{name: string, shardings: number[], run?: number}[]} */
    this.stages = withRounds(data);
    /** @type {Map<string, Sharding>} */
    this.earlier = new Map();
    this.constant = new Uint8Array(this.valueCount);  // 1: made of constants only
    this.firstInput = new Int32Array(this.opCount + 1);   // in the list of operands
    this.firstOutput = new Int32Array(this.opCount);
    this.maker = new Int32Array(this.valueCount).fill(-1);
    this.argumentOf = new Int32Array(this.valueCount).fill(-1);  // the block
    this.firstUser = new Int32Array(this.valueCount + 1);  // in the list of users
    this.userList = new Int32Array((data.ops.operands || []).length);
    /** @type {Map<number, number[]>} */
    this.blocksOf = new Map();  // regions by operation
    /** @type {Map<number, number>} */
    this.funcOfBlock = new Map(data.functions.map(
        (/** @type {any} */ f, /** @type {number} */ i) => [f.body, i]));
    /** @type {number[][]} */
    this.opsOf = data.blocks.parent.map(() => []);
    /** @type {Map<number, number[]>} */
    this.hopsOf = new Map();
    /** @type {Map<number, number[]>} */
    this.missingOf = new Map();  // rows of `data.missing` by value
    /** @type {Finding[]} */
    this.findings = data.findings;
    this.link();
    this.linkUsers();
    rowsOfValues(data.hops, this.hopsOf);
    rowsOfValues(data.missing, this.missingOf);
    this.linkConstants();
    /** @type {Map<number, number[]>} */
    this.rowOfOp = new Map();
    (data.collectives.op || []).forEach((/** @type {number} */ op, /** @type {number} */ i) =>
        this.rowOfOp.set(op, (this.rowOfOp.get(op) || []).concat(i)));
  }

  // Operands, results and the places of all values, from the columns.
  link() {
    const {ops, blocks} = this.data;
    for (let b = 0; b < blocks.parent.length; ++b) {
      for (let i = 0; i < blocks.arguments[b]; ++i) this.argumentOf[blocks.first_argument[b] + i] = b;
      const parent = blocks.parent[b];
      if (parent >= 0) this.blocksOf.set(parent, (this.blocksOf.get(parent) || []).concat(b));
    }
    let value = 0;
    let input = 0;
    for (let op = 0; op < this.opCount; ++op) {
      this.opsOf[ops.block[op]].push(op);
      this.firstInput[op] = input;
      input += ops.inputs[op];
      while (value < this.valueCount && this.argumentOf[value] >= 0) ++value;
      this.firstOutput[op] = value;
      for (let i = 0; i < ops.outputs[op]; ++i) this.maker[value++] = op;
    }
    this.firstInput[this.opCount] = input;
  }

  linkUsers() {
    const {operands} = this.data.ops;
    for (const v of operands || []) ++this.firstUser[v + 1];
    for (let v = 0; v < this.valueCount; ++v) this.firstUser[v + 1] += this.firstUser[v];
    const next = this.firstUser.slice();
    for (let op = 0; op < this.opCount; ++op) {
      for (const v of this.inputs(op)) this.userList[next[v]++] = op;
    }
  }

  // What does not depend on arguments is made where it is used, and costs no memory before.
  linkConstants() {
    for (let op = 0; op < this.opCount; ++op) {
      if (this.blocksOf.has(op) || /custom_call|infeed|recv|token|_id$|rng/.test(this.opName(op))) continue;
      if (!this.inputs(op).every((v) => this.constant[v])) continue;
      for (const v of this.outputs(op)) this.constant[v] = 1;
    }
  }

  /** @param {number} i @returns {string} */
  text(i) { return i < 0 ? '' : this.data.strings[i]; }
  /** @param {number} op */
  opName(op) { return this.text(this.data.ops.name[op]); }
  /** @param {number} op  without its dialect */
  shortName(op) { return this.opName(op).replace(/^[a-z_]+\./, ''); }
  /** @param {number} op */
  place(op) { return this.text(this.data.ops.place[op]).replace(/^.*\/(?=[^/]*:\d)/, '').replace(/(:\d+):\d+$/, '$1'); }
  /** @param {number} v */
  valueName(v) { return this.text(this.data.values.name[v]); }
  /** @param {number} v */
  type(v) { return this.types[this.data.values.type[v]]; }
  /** A name for every value: those that the plan made have none. @param {number} v */
  valueTitle(v) {
    return this.valueName(v) || (this.maker[v] >= 0 ? `made by ${this.shortName(this.maker[v])}` : 'a value');
  }
  /** @param {number} op @returns {number[]} */
  inputs(op) { return this.data.ops.operands.slice(this.firstInput[op], this.firstInput[op + 1]); }
  /** @param {number} op @returns {number[]} */
  outputs(op) {
    return Array.from({length: this.data.ops.outputs[op]}, (_, i) => this.firstOutput[op] + i);
  }
  /** @param {number} v @returns {Int32Array} */
  users(v) { return this.userList.subarray(this.firstUser[v], this.firstUser[v + 1]); }
  /** @param {number} op */
  blockOf(op) { return this.data.ops.block[op]; }
  /** @param {number} op */
  isCollective(op) { return /^sdy\.(all_|reduce_|collective_|reshard)/.test(this.opName(op)); }
  /** @param {number} v */
  blockOfValue(v) {
    return this.maker[v] >= 0 ? this.blockOf(this.maker[v]) : this.argumentOf[v];
  }

  /** The sharding of a value at a stage; the last one is that of the program with collectives.
   * @param {number} v @param {number} [stage] @returns {Sharding | null} */
  sharding(v, stage = this.stages.length - 1) {
    const {shardings, run} = this.stages[stage];
    const id = shardings[v];
    if (id < 0) return null;
    return run === undefined ? this.shardings[id] : this.shardingAt(v, id, run);
  }

  /** A sharding without the axes that came after a run. @param {number} v @param {number} id
   * @param {number} run @returns {Sharding} */
  shardingAt(v, id, run) {
    const {hops} = this.data;
    const later = (this.hopsOf.get(this.firstCopy(v)) || []).filter((i) => hops.run[i] > run).map((i) => this.text(hops.axis[i]));
    const s = this.shardings[id];
    if (!later.length) return s;
    const key = `${id} ${later.sort().join(' ')}`;
    let known = this.earlier.get(key);
    if (!known) {
      const dims = s.dims.map((axes) => axes.filter((axis) => !later.includes(axisText(axis, s.mesh))));
      this.earlier.set(key, known = {...s, dims});
    }
    return known;
  }

  /** @param {number} v @returns {MissingAxis[]} */
  missing(v) {
    const {missing, stops} = this.data;
    return (this.missingOf.get(this.firstCopy(v)) || []).map((i) => {
      const [axis, at, atDim, neighbour, neighbourDim, through, others, reasons] = stops[missing.stop[i]];
      return {
        axis: this.text(axis), at: {value: at, dim: atDim},
        neighbour: neighbourDim < 0 ? null : {value: neighbour, dim: neighbourDim},
        through: this.text(through), distance: missing.distance[i], others,
        reasons: reasons.map((/** @type {[number, number]} */ r) => ({text: this.text(r[0]), value: r[1]})),
      };
    });
  }

  /** The value that stands first for the same value of the program. @param {number} v @returns {number} */
  firstCopy(v) { return this.data.values.copies[v] ?? v; }

  /** What a device holds of a value; null where its shape is not known.
   * @param {number} v @param {number} [stage] @returns {number[] | null} */
  localShape(v, stage) {
    const {shape} = this.type(v);
    const s = this.sharding(v, stage);
    if (!shape) return null;
    return shape.map((size, d) =>
        s && s.dims[d] ? Math.ceil(size / partsOf(s.dims[d])) : size);
  }

  /** @param {number} v @param {number} [stage] */
  localBytes(v, stage) {
    const shape = this.localShape(v, stage);
    return shape ? Math.ceil(shape.reduce((n, size) => n * size, this.type(v).bytes)) : 0;
  }

  /** @param {number} v */
  globalBytes(v) {
    const {shape, bytes} = this.type(v);
    return shape ? shape.reduce((n, size) => n * size, bytes) : 0;
  }

  /** The function that a program is entered by. */
  entry() {
    const named = this.data.functions.findIndex((/** @type {any} */ f) => f.name === 'main');
    if (named >= 0) return named;
    return Math.max(0, this.data.functions.findIndex((/** @type {any} */ f) => !f.private));
  }

  /** @param {number} block @returns {string} */
  blockName(block) {
    const func = this.funcOfBlock.get(block);
    if (func !== undefined) return '@' + this.data.functions[func].name;
    const op = this.data.blocks.parent[block];
    const regions = this.blocksOf.get(op) || [];
    const names = this.opName(op) === 'stablehlo.while' ? ['condition', 'body'] : [];
    const i = regions.indexOf(block);
    return this.shortName(op) + (regions.length > 1 ? ' ' + (names[i] || 'region ' + i) : '');
  }

  /** The blocks from the function to `block`. @param {number} block @returns {number[]} */
  blockPath(block) {
    const path = [];
    while (block >= 0) {
      path.unshift(block);
      const parent = this.data.blocks.parent[block];
      block = parent < 0 ? -1 : this.blockOf(parent);
    }
    return path;
  }

  /** The value where it is not a collective's: what the collectives before it started from.
   * @param {number} v @returns {number} */
  beforeCollectives(v) {
    while (this.maker[v] >= 0 && this.isCollective(this.maker[v])) v = this.inputs(this.maker[v])[0];
    return v;
  }
}

/** Notes the rows of each value. @param {any} table columns, one of them `value`, or nothing
 * @param {Map<number, number[]>} into */
function rowsOfValues(table, into) {
  ((table && table.value) || []).forEach((/** @type {number} */ v, /** @type {number} */ i) => {
    const known = into.get(v);
    if (known) known.push(i); else into.set(v, [i]);
  });
}

/** The stages, the one after propagation once for each run that brought an axis to a value.
 * @param {any} data */
function withRounds(data) {
  const runs = [...new Set((data.hops && data.hops.run || []).filter((/** @type {number} */ r) => r >= 0))]
      .sort((a, b) => a - b);
  return data.values.stages.flatMap((/** @type {any} */ stage) => stage.name !== 'propagated' || !runs.length ? [stage]
      : runs.map((run, i) => {
        const {priority, round} = data.rounds[run];
        const name = `priority ${priority}, round ${round + 1}`;
        return i + 1 < runs.length ? {name, shardings: stage.shardings, run} : {name, shardings: stage.shardings};
      }));
}

/** @param {AxisRef[]} axes */
function partsOf(axes) { return axes.reduce((n, axis) => n * axis[2], 1); }

/** @param {AxisRef} axis @param {Mesh} mesh */
function axisText(axis, mesh) {
  const [name, size] = mesh.axes[axis[0]];
  return axis[2] === size ? name : `${name}:(${axis[1]})${axis[2]}`;
}

/** @param {Type} type */
function typeText(type) { return type.shape ? `${type.dtype}[${type.shape.join(', ')}]` : type.dtype; }

/** @param {Sharding | null} s */
function shardingText(s) {
  if (!s) return 'no sharding';
  const dims = s.dims.map((axes) => axes.map((a) => axisText(a, s.mesh)).join('\u00b7') || '-');
  const partial = s.unreduced.map((a) => axisText(a, s.mesh)).join(', ');
  return `[${dims.join(', ')}]` + (partial ? ` sums left along ${partial}` : '');
}

/** @param {number} bytes */
function bytesText(bytes) {
  const sign = bytes < 0 ? '\u2212' : '';
  let n = Math.abs(bytes);
  for (const unit of ['B', 'KiB', 'MiB', 'GiB', 'TiB']) {
    if (n < 1024 || unit === 'TiB') {
      const digits = unit === 'B' || n >= 100 ? 0 : n >= 10 ? 1 : 2;
      return `${sign}${n.toFixed(digits)} ${unit}`;
    }
    n /= 1024;
  }
  return '';
}

/** @param {number} n */
function countText(n) { return n.toLocaleString('en-US'); }
