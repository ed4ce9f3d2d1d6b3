// The part of a program around one operation: which nodes are visible, where they are, and their
// picture. Only the visible nodes are laid out.
'use strict';

const NODE_WIDTH = 208;
const NODE_HEIGHT = 66;
const MOST_NODES = 300;

/**
 * A node: an operation, a value that enters the block, or layers that are folded.
 * @typedef {{id: string, op: number, value: number, fold: {repeat: Repeat, first: number, last: number} | null}}
 *     GraphNode
 * @typedef {{nodes: Map<string, GraphNode>, edges: {from: string, to: string, value: number}[],
 *   block: number, path: {text: string, block: number}[]}} View
 */

class Neighbourhood {
  /** @param {Plan} plan */
  constructor(plan) {
    this.plan = plan;
    /** @type {Map<number, Repeat[]>} */
    this.repeats = new Map();
    /** @type {Map<Repeat, Set<number>>} */
    this.opened = new Map();  // layers that the user unfolded
    this.places = new Map();  // of operations in their block
  }

  /** @param {number} block */
  repeatsOf(block) {
    let known = this.repeats.get(block);
    if (!known) {
      const ops = this.plan.opsOf[block];
      known = ops.length > 40 ? findRepeats(this.plan, ops) : [];
      this.repeats.set(block, known);
      ops.forEach((op, i) => this.places.set(op, i));
    }
    return known;
  }

  /** The layer that an operation is in. @param {number} op */
  layerOf(op) {
    const block = this.plan.blockOf(op);
    const repeats = this.repeatsOf(block);
    const at = this.places.get(op);
    const repeat = repeats.find((r) => at >= r.begin && at < r.begin + r.length * r.times);
    return repeat ? {repeat, layer: Math.floor((at - repeat.begin) / repeat.length)} : null;
  }

  /** The node that an operation is drawn as when `focus` is looked at. @param {number} op
   * @param {{repeat: Repeat, layer: number} | null} focus @returns {GraphNode} */
  nodeOf(op, focus) {
    const in_ = this.layerOf(op);
    const same = in_ && focus && in_.repeat === focus.repeat;
    const opened = in_ && this.opened.get(in_.repeat);
    if (!in_ || (same && in_.layer === focus.layer) || (opened && opened.has(in_.layer)))
      return {id: 'o' + op, op, value: -1, fold: null};
    let first = 0;
    let last = in_.repeat.times - 1;
    if (same && in_.layer < focus.layer) last = focus.layer - 1;
    if (same && in_.layer > focus.layer) first = focus.layer + 1;
    for (const k of opened || []) {
      if (k < in_.layer) first = Math.max(first, k + 1); else last = Math.min(last, k - 1);
    }
    return {id: `f${in_.repeat.begin}:${first}`, op: this.plan.opsOf[this.plan.blockOf(op)][
        in_.repeat.begin + first * in_.repeat.length], value: -1, fold: {repeat: in_.repeat, first, last}};
  }

  /** @param {number} v @param {number} block */
  nodeOfValue(v, block, /** @type {any} */ focus) {
    const maker = this.plan.maker[v];
    if (maker >= 0 && this.plan.blockOf(maker) === block) return this.nodeOf(maker, focus);
    return {id: 'v' + v, op: -1, value: v, fold: null};
  }

  /** The operation of `block` that `op`, which may be in a region, is in. @param {number} op
   * @param {number} block */
  ancestor(op, block) {
    while (op >= 0 && this.plan.blockOf(op) !== block)
      op = this.plan.data.blocks.parent[this.plan.blockOf(op)];
    return op;
  }

  /** Values that enter and leave a node, of a folded one those of its boundary. @param {GraphNode} node
   * @param {number} block */
  ports(node, block) {
    const {plan} = this;
    if (node.value >= 0) return {inputs: [], outputs: [node.value]};
    if (!node.fold) return {inputs: this.inputsOf(node.op), outputs: plan.outputs(node.op)};
    const {repeat, first, last} = node.fold;
    const begin = repeat.begin + first * repeat.length;
    const end = repeat.begin + (last + 1) * repeat.length;
    const inputs = new Set();
    const outputs = new Set();
    const ops = plan.opsOf[block];
    // The boundary of a long stretch is that of its first and last layer.
    const left = Math.max(begin + repeat.length, end - repeat.length);
    for (let i = begin; i < end; ++i) {
      if (i === begin + repeat.length) i = left;
      if (i >= end) break;
      for (const v of this.inputsOf(ops[i])) {
        const at = plan.maker[v] >= 0 ? this.places.get(plan.maker[v]) : undefined;
        if (at !== undefined && plan.blockOf(plan.maker[v]) === block && (at < begin || at >= end)) inputs.add(v);
      }
      for (const v of plan.outputs(ops[i])) {
        for (const user of plan.users(v)) {
          const at = this.places.get(this.ancestor(user, block));
          if (at !== undefined && (at < begin || at >= end)) outputs.add(v);
        }
      }
    }
    return {inputs: [...inputs], outputs: [...outputs]};
  }

  /** Operands, and what the regions of the operation use from around it. @param {number} op */
  inputsOf(op) {
    const {plan} = this;
    const inputs = plan.inputs(op);
    const blocks = plan.blocksOf.get(op);
    if (!blocks) return inputs;
    const seen = new Set(inputs);
    for (const block of blocks) {
      for (const inner of plan.opsOf[block].slice(0, 400)) {
        for (const v of plan.inputs(inner)) {
          if (plan.blockOfValue(v) === plan.blockOf(op)) seen.add(v);
        }
      }
    }
    return [...seen];
  }

  /** The nodes around `focus`, nearest first, at most `most`. @param {number} focus an operation
   * @param {number} focusValue the value to look at, where it is an argument @param {number} most
   * @returns {View} */
  around(focus, focusValue, most) {
    const {plan} = this;
    const block = focus >= 0 ? plan.blockOf(focus) : plan.argumentOf[focusValue];
    this.repeatsOf(block);
    const layer = focus >= 0 ? this.layerOf(focus) : null;
    const start = focus >= 0 ? this.nodeOf(focus, layer)
        : {id: 'v' + focusValue, op: -1, value: focusValue, fold: null};
    const nodes = new Map([[start.id, start]]);
    const limit = Math.min(most, MOST_NODES);
    const queue = [start];
    for (let at = 0; at < queue.length && nodes.size < limit; ++at) {
      for (const next of this.next(queue[at], block, layer)) {
        if (nodes.has(next.id) || nodes.size >= limit) continue;
        nodes.set(next.id, next);
        queue.push(next);
      }
    }
    return {nodes, edges: this.edgesOf(nodes, block, layer), block, path: this.pathOf(block, layer)};
  }

  /** The neighbours of a node, of very many the nearest in the program. @param {GraphNode} node
   * @param {number} block @param {any} layer @returns {GraphNode[]} */
  next(node, block, layer) {
    const {plan} = this;
    const {inputs, outputs} = this.ports(node, block);
    const out = inputs.map((v) => this.nodeOfValue(v, block, layer));
    for (const v of outputs) {
      for (const user of nearest(plan.users(v), node.op)) {
        const op = this.ancestor(user, block);
        if (op >= 0) out.push(this.nodeOf(op, layer));
      }
    }
    const distance = (/** @type {GraphNode} */ n) => n.op < 0 ? 0 : Math.abs(n.op - node.op);
    return out.sort((a, b) => distance(a) - distance(b)).slice(0, 16);
  }

  /** @param {Map<string, GraphNode>} nodes @param {number} block @param {any} layer */
  edgesOf(nodes, block, layer) {
    const edges = [];
    const seen = new Set();
    for (const node of nodes.values()) {
      for (const v of this.ports(node, block).inputs) {
        const from = this.nodeOfValue(v, block, layer).id;
        const key = `${from} ${node.id}`;
        if (!nodes.has(from) || from === node.id || seen.has(key)) continue;
        seen.add(key);
        edges.push({from, to: node.id, value: v});
      }
    }
    return edges;
  }

  /** @param {number} block @param {{repeat: Repeat, layer: number} | null} layer */
  pathOf(block, layer) {
    const path = this.plan.blockPath(block).map((b) => ({text: this.plan.blockName(b), block: b}));
    if (layer) path.push({text: `layer ${layer.layer + 1} of ${layer.repeat.times} alike`, block: -1});
    return path;
  }
}

/** Of many users, which are in program order, those next to `op`. @param {Int32Array} users
 * @param {number} op */
function nearest(users, op) {
  if (users.length <= 32) return users;
  const after = users.findIndex((user) => user > op);
  const at = after < 0 ? users.length : after;
  return users.subarray(Math.max(0, at - 16), at + 16);
}

/** Places the nodes of a view; gives their centres and the edges' points. @param {View} view */
function layOut(view) {
  // @ts-ignore: the vendored library
  const g = new dagre.graphlib.Graph();
  g.setGraph({rankdir: 'TB', nodesep: 22, ranksep: 34, marginx: 12, marginy: 12});
  g.setDefaultEdgeLabel(() => ({}));
  for (const id of view.nodes.keys()) g.setNode(id, {width: NODE_WIDTH, height: NODE_HEIGHT});
  for (const edge of view.edges) g.setEdge(edge.from, edge.to);
  // @ts-ignore
  dagre.layout(g);
  return g;
}

/** What a node says. @param {Plan} plan @param {GraphNode} node @param {number} stage */
function nodeTexts(plan, node, stage) {
  if (node.fold) {
    const {repeat, first, last} = node.fold;
    const count = last - first + 1;
    return {title: count > 1 ? `layers ${first + 1}\u2013${last + 1}` : `layer ${first + 1}`,
      line: `${count > 1 ? count + ' \u00d7 ' : ''}${repeat.length} operations`, shown: -1};
  }
  const shown = node.value >= 0 ? node.value : plan.data.ops.outputs[node.op] ? plan.firstOutput[node.op] : -1;
  if (node.value >= 0) {
    const kind = plan.maker[node.value] >= 0 ? 'from around' : 'argument';
    return {title: kind, line: plan.valueName(node.value), shown};
  }
  const calls = plan.data.ops.callees[node.op];
  const title = calls === undefined ? plan.shortName(node.op)
      : `call @${plan.data.functions[calls].name}`;
  const place = plan.place(node.op);
  const name = shown >= 0 ? plan.valueName(shown) : '';
  return {title, line: [name, place].filter(Boolean).join(' \u00b7 '), shown};
}

/** @param {string} text @param {number} most */
function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + '\u2026' : text; }

/** The picture of a node, its corner at the origin. @param {Plan} plan @param {GraphNode} node
 * @param {number} stage */
function nodePicture(plan, node, stage) {
  const {title, line, shown} = nodeTexts(plan, node, stage);
  const collective = node.op >= 0 && !node.fold && plan.isCollective(node.op);
  const opens = node.fold || (node.op >= 0 && (plan.blocksOf.has(node.op) || plan.data.ops.callees[node.op] !== undefined));
  const kinds = ['node', collective ? 'collective' : '', node.fold ? 'fold' : '', opens ? 'opens' : '',
    node.value >= 0 ? 'enters' : '', collective && stage < plan.stages.length - 1 ? 'later' : ''];
  const g = svg('g', {class: kinds.filter(Boolean).join(' '), 'data-id': node.id, tabindex: -1});
  if (node.fold) {
    for (const shift of [6, 3]) {
      g.append(svg('rect', {class: 'back', x: shift, y: -shift, width: NODE_WIDTH, height: NODE_HEIGHT, rx: 7}));
    }
  }
  g.append(svg('rect', {class: 'box', width: NODE_WIDTH, height: NODE_HEIGHT, rx: 7}));
  const left = shown >= 0 ? 66 : 14;
  if (shown >= 0) {
    const tile = smallTile(plan, shown, stage, 44);
    tile.setAttribute('transform', 'translate(13 13)');
    g.append(tile);
  }
  const most = Math.floor((NODE_WIDTH - left - 8) / 7);
  g.append(svg('text', {class: 'title', x: left, y: 20}, cut(title + (opens ? ' \u25b8' : ''), most)));
  g.append(svg('text', {class: 'line', x: left, y: 37}, cut(line, most + 3)));
  const rows = node.op >= 0 && !node.fold ? plan.rowOfOp.get(node.op) : undefined;
  if (rows) {
    const sent = rows.reduce((/** @type {number} */ n, /** @type {number} */ i) => n + plan.data.collectives.sent[i], 0);
    g.append(svg('text', {class: 'bytes', x: left, y: 54}, `sends ${bytesText(sent)}`));
  } else if (shown >= 0) {
    g.append(dimsText(plan, shown, stage, left));
  }
  g.append(svg('title', {}, `${title} ${line}`));
  return g;
}

/** What a device holds: sizes, each underlined in the colours of its axes. @param {Plan} plan
 * @param {number} v @param {number} stage @param {number} left */
function dimsText(plan, v, stage, left) {
  const g = svg('g', {class: 'sizes'});
  const local = plan.localShape(v, stage);
  const s = plan.sharding(v, stage);
  if (!local) return g;
  let x = left;
  const texts = local.length ? local.map(String) : ['scalar'];
  texts.forEach((text, d) => {
    if (d > 0) {
      g.append(svg('text', {x, y: 54}, '\u00d7'));
      x += 9;
    }
    if (x > NODE_WIDTH - 24) return;
    const width = text.length * 7.4;
    g.append(svg('text', {x, y: 54}, text));
    const axes = axesOf(s, d);
    axes.forEach((axis, i) => g.append(svg('rect', {x: x + width * i / axes.length, y: 57,
      width: width / axes.length, height: 3, fill: s ? colourOf(axis, s.mesh) : ''})));
    x += width + 2;
  });
  return g;
}
