// What is alike, once: layers of a block that repeat, and rows of the lists.
'use strict';

/**
 * A stretch of a block that repeats: operations [begin, begin + times * length) by their place in
 * the block.
 * @typedef {{begin: number, length: number, times: number}} Repeat
 */

/** The repeated layers of a list of operations, by what they are: name, type and sharding of the
 * result. The period that covers most is taken, then that of what is left. O(operations).
 * @param {Plan} plan @param {number[]} ops @returns {Repeat[]} */
function findRepeats(plan, ops) {
  const likeness = ops.map((op) => {
    const v = plan.firstOutput[op];
    const made = plan.data.ops.outputs[op] > 0;
    return `${plan.data.ops.name[op]} ${made ? plan.data.values.type[v] : ''} ` +
        `${made ? plan.stages[plan.stages.length - 1].shardings[v] : ''}`;
  });
  /** @type {Repeat[]} */
  const found = [];
  /** @type {[number, number][]} */
  let open = [[0, ops.length]];
  for (let round = 0; round < 3 && open.length; ++round) {
    /** @type {[number, number][]} */
    const left = [];
    for (const [begin, end] of open) {
      const runs = bestRuns(likeness, begin, end);
      let at = begin;
      for (const run of runs) {
        if (run.begin > at) left.push([at, run.begin]);
        found.push(run);
        at = run.begin + run.length * run.times;
      }
      if (runs.length && at < end) left.push([at, end]);
    }
    open = left;
  }
  return found.sort((a, b) => a.begin - b.begin);
}

/** @param {string[]} likeness @param {number} begin @param {number} end @returns {Repeat[]} */
function bestRuns(likeness, begin, end) {
  const last = new Map();
  const distances = new Map();
  for (let i = begin; i < end; ++i) {
    const before = last.get(likeness[i]);
    if (before !== undefined) distances.set(i - before, (distances.get(i - before) || 0) + 1);
    last.set(likeness[i], i);
  }
  const periods = [...distances].filter(([d]) => d >= 12).sort((a, b) => b[1] - a[1])
      .slice(0, 12).map(([d]) => d).sort((a, b) => a - b);
  /** @type {Repeat[]} */
  let best = [];
  let bestCover = 0;
  for (const period of periods) {
    const runs = runsOf(likeness, begin, end, period);
    const cover = runs.reduce((n, run) => n + run.length * run.times, 0);
    if (cover > 1.05 * bestCover) [best, bestCover] = [runs, cover];
  }
  // Little that is alike is not worth a fold.
  return bestCover >= 0.2 * (end - begin) ? best : [];
}

/** @param {string[]} likeness @param {number} begin @param {number} end @param {number} period
 * @returns {Repeat[]} */
function runsOf(likeness, begin, end, period) {
  const runs = [];
  for (let i = begin + period; i < end; ++i) {
    const start = i;
    while (i < end && likeness[i] === likeness[i - period]) ++i;
    const times = 1 + Math.floor((i - start) / period);
    if (times >= 2) runs.push({begin: start - period, length: period, times});
  }
  return runs;
}

/**
 * A row of the list of communication: collectives of one kind for one reason.
 * @typedef {{key: string, kind: string, axes: string, what: string, reason: string, won: string, place: string, ops: number[],
 *   count: number, bytes: number, inLoop: boolean, type: string, suggestion: string}} CommunicationRow
 */

/** A name of which layers differ by numbers. @param {string} name */
function foldedName(name) { return name.replace(/\d+/g, '*'); }

/** What a collective moves: an argument, or what an operation made. @param {Plan} plan @param {number} op */
function movedText(plan, op) {
  const source = plan.beforeCollectives(plan.inputs(op)[0]);
  const maker = plan.maker[source];
  return maker < 0 ? foldedName(plan.valueName(source)) : `the result of ${plan.shortName(maker)}`;
}

/** The collectives of a plan, alike ones in one row, most bytes first. The bytes add up to the total
 * of `shardprop cost`. @param {Plan} plan @returns {CommunicationRow[]} */
function communicationRows(plan) {
  const {op, kind, axes, in_loop: inLoop, runs, sent, finding} = plan.data.collectives;
  /** @type {Map<string, CommunicationRow>} */
  const rows = new Map();
  for (let i = 0; i < (op || []).length; ++i) {
    const {reason, won = '', suggestion = ''} = plan.findings[finding[i]];
    const what = movedText(plan, op[i]);
    // The names of layers differ by numbers, the lines of a file do not.
    const own = plan.place(op[i]);
    const place = /:\d+$/.test(own) ? own : foldedName(own);
    const type = typeText(plan.type(plan.inputs(op[i])[0]));
    const key = [kind[i], axes[i], inLoop[i], what, reason, place, type].join('|');
    let known = rows.get(key);
    if (!known) {
      known = {key: [plan.text(kind[i]), plan.text(axes[i]), what, reason, place, type].join('|'),
        kind: plan.text(kind[i]), axes: plan.text(axes[i]), what, reason, won, place, type, ops: [],
        suggestion, count: 0, bytes: 0, inLoop: inLoop[i] === 1};
      rows.set(key, known);
    }
    known.ops.push(op[i]);
    known.count += runs[i];
    known.bytes += sent[i] * runs[i];
  }
  return [...rows.values()].sort((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
}

/**
 * A row of the list of memory: values that are alike.
 * @typedef {{key: string, name: string, what: string, type: string, sharding: string, values: number[],
 *   bytes: number, each: number, whole: boolean}} MemoryRow
 */

/** Values that are live when most is, alike ones in one row, most bytes first. @param {Plan} plan
 * @param {LiveMemory} live @returns {MemoryRow[]} */
function memoryRows(plan, live) {
  /** @type {Map<string, MemoryRow>} */
  const rows = new Map();
  const column = plan.stages[plan.stages.length - 1].shardings;
  for (const v of live.atPeak) {
    const each = plan.localBytes(v);
    if (each < 1) continue;
    const op = plan.maker[v];
    const what = op >= 0 ? plan.shortName(op) : 'argument';
    const name = op >= 0 ? '' : foldedName(plan.valueName(v));
    const key = `${what}|${name}|${typeText(plan.type(v))}|${shardingText(plan.sharding(v))}`;
    let known = rows.get(key);
    if (!known) {
      known = {key, name, what, type: typeText(plan.type(v)), sharding: shardingText(plan.sharding(v)),
        values: [], bytes: 0, each, whole: column[v] >= 0 && each >= plan.globalBytes(v)};
      rows.set(key, known);
    }
    known.values.push(v);
    known.bytes += each;
  }
  return [...rows.values()].sort((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
}

/**
 * What is live on a device after each operation of the entry function: a value from where it is made
 * to its last use, arguments to the end, what is made of constants never. Regions and callees add their own peak where they run. `atPeak` are
 * the values of the entry function that are live where most is.
 * @typedef {{ops: number[], bytes: Float64Array, most: number, arguments: number, atPeak: number[]}} LiveMemory
 * @param {Plan} plan @returns {LiveMemory}
 */
function liveMemory(plan) {
  /** @type {Map<number, number>} */
  const peaks = new Map();
  /** The last place of a block where a value of operation number `i` is used.
   * @param {number} v @param {number} i @param {number} block @param {Map<number, number>} place */
  function lastUse(v, i, block, place) {
    for (const user of plan.users(v)) {
      let at = user;
      while (plan.blockOf(at) !== block) at = plan.data.blocks.parent[plan.blockOf(at)];
      i = Math.max(i, place.get(at) || 0);
    }
    return i;
  }
  /** @param {number} block @param {boolean} withArguments */
  function curve(block, withArguments) {
    const ops = plan.opsOf[block];
    const bytes = new Float64Array(ops.length);
    const place = new Map(ops.map((op, i) => [op, i]));
    const change = new Float64Array(ops.length + 1);
    for (let i = 0; i < ops.length; ++i) {
      for (const v of plan.outputs(ops[i])) {
        if (plan.constant[v]) continue;
        change[i] += plan.localBytes(v);
        change[lastUse(v, i, block, place) + 1] -= plan.localBytes(v);
      }
    }
    let live = 0;
    if (withArguments) {
      const {first_argument: first, arguments: counts} = plan.data.blocks;
      for (let i = 0; i < counts[block]; ++i) live += plan.localBytes(first[block] + i);
    }
    for (let i = 0; i < ops.length; ++i) {
      live += change[i];
      bytes[i] = live + inside(ops[i]);
    }
    return bytes;
  }
  /** @param {number} block */
  function peak(block) {
    const known = peaks.get(block);
    if (known !== undefined) return known;
    peaks.set(block, 0);
    const most = curve(block, false).reduce((a, b) => Math.max(a, b), 0);
    peaks.set(block, most);
    return most;
  }
  /** @param {number} op */
  function inside(op) {
    const callee = plan.data.ops.callees[op];
    if (callee !== undefined) return peak(plan.data.functions[callee].body);
    return (plan.blocksOf.get(op) || []).reduce(
        (/** @type {number} */ most, /** @type {number} */ b) => Math.max(most, peak(b)), 0);
  }
  if (!plan.data.functions.length) return {ops: [], bytes: new Float64Array(0), most: 0, arguments: 0, atPeak: []};
  const body = plan.data.functions[plan.entry()].body;
  const ops = plan.opsOf[body];
  const place = new Map(ops.map((op, i) => [op, i]));
  const bytes = curve(body, true);
  const top = bytes.reduce((best, n, i) => n > bytes[best] ? i : best, 0);
  const {first_argument: first, arguments: counts} = plan.data.blocks;
  const atPeak = Array.from({length: counts[body]}, (_, i) => first[body] + i);
  const held = atPeak.reduce((n, v) => n + plan.localBytes(v), 0);
  ops.slice(0, top + 1).forEach((op, i) => {
    for (const v of plan.outputs(op)) {
      if (!plan.constant[v] && lastUse(v, i, body, place) >= top) atPeak.push(v);
    }
  });
  const shown = ops.map((_, i) => i).filter((i) => !plan.outputs(ops[i]).length || plan.outputs(ops[i]).some((v) => !plan.constant[v]));
  return {ops: shown.map((i) => ops[i]), bytes: Float64Array.from(shown, (i) => bytes[i]), most: bytes[top] || 0, arguments: held,
    atPeak};
}
