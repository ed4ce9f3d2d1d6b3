// The graph around one operation: drawing it, moving in it, and what is selected there.
'use strict';

class GraphPanel {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.around = page.plans.map((plan) => new Neighbourhood(plan));
    this.op = -1;         // what the graph is around
    this.value = -1;      // where that is an argument
    this.selected = '';   // the node whose details are shown
    this.most = 32;       // nodes
    /** @type {View | null} */
    this.view = null;
    this.zoom = {x: 0, y: 0, scale: 1};
    this.dragged = false;
  }

  get plan() { return this.page.plan; }

  // Folding and the first layout take longest, so they are done before the first click.
  prepare() {
    this.page.plans.forEach((plan, i) => {
      if (!plan.opCount) return;
      const view = this.around[i].around(plan.opsOf[plan.data.functions[plan.entry()].body][0], -1, 32);
      layOut(view);
      view.nodes.forEach((node) => nodePicture(plan, node, this.page.stage));
    });
  }

  wire() {
    const graph = element('graph');
    graph.addEventListener('click', (event) => {
      const node = /** @type {Element} */ (event.target).closest('.node');
      if (node && !this.dragged) this.select(node.getAttribute('data-id') || '');
    });
    graph.addEventListener('dblclick', (event) => {
      const node = /** @type {Element} */ (event.target).closest('.node');
      if (node) this.enter(node.getAttribute('data-id') || '');
    });
    graph.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = graph.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * 0.0015);
      const scale = Math.max(0.15, Math.min(3, this.zoom.scale * factor));
      const x = event.clientX - box.left;
      const y = event.clientY - box.top;
      const grown = scale / this.zoom.scale;
      this.zoom = {x: x - (x - this.zoom.x) * grown, y: y - (y - this.zoom.y) * grown, scale};
      this.applyZoom();
    }, {passive: false});
    graph.addEventListener('pointerdown', (event) => {
      const start = {x: event.clientX - this.zoom.x, y: event.clientY - this.zoom.y};
      this.dragged = false;
      const move = (/** @type {PointerEvent} */ e) => {
        const far = Math.abs(e.clientX - event.clientX) + Math.abs(e.clientY - event.clientY) > 4;
        this.dragged = this.dragged || far;
        if (!this.dragged) return;
        this.zoom = {...this.zoom, x: e.clientX - start.x, y: e.clientY - start.y};
        this.applyZoom();
      };
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', () => window.removeEventListener('pointermove', move), {once: true});
    });
  }

  applyZoom() {
    const {x, y, scale} = this.zoom;
    element('graph').firstElementChild?.firstElementChild?.setAttribute('transform',
        `translate(${x} ${y}) scale(${scale})`);
  }

  /** Shows what is around an operation, or around an argument. @param {number} op @param {number} value */
  open(op, value) {
    this.op = op;
    this.value = value;
    this.most = 32;
    this.selected = '';
    this.draw(true);
  }

  close() { this.view = null; }

  /** @param {boolean} centre whether to move to what the graph is around */
  draw(centre) {
    const around = this.around[this.page.current];
    this.view = around.around(this.op, this.value, this.most);
    const start = this.view.nodes.keys().next().value || '';
    if (!this.view.nodes.has(this.selected)) this.selected = start;
    const g = layOut(this.view);
    const picture = svg('svg', {class: 'nodes'});
    const all = svg('g');
    picture.append(all);
    for (const edge of this.view.edges) {
      const {points} = g.edge(edge.from, edge.to);
      const path = points.map((/** @type {any} */ p, /** @type {number} */ i) =>
          `${i ? 'L' : 'M'}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('');
      all.append(svg('path', {class: 'edge', d: path, 'data-from': edge.from, 'data-to': edge.to,
        'marker-end': 'url(#arrow)'}));
    }
    for (const node of this.view.nodes.values()) {
      const drawn = nodePicture(this.plan, node, this.page.stage);
      const {x, y} = g.node(node.id);
      drawn.setAttribute('transform', `translate(${x - NODE_WIDTH / 2} ${y - NODE_HEIGHT / 2})`);
      all.append(drawn);
    }
    all.append(arrowMarker());
    element('graph').replaceChildren(picture);
    if (centre) {
      const box = element('graph').getBoundingClientRect();
      const {x, y} = g.node(start);
      const scale = 0.9;
      this.zoom = {x: box.width / 2 - x * scale, y: box.height / 2 - y * scale, scale};
    }
    this.applyZoom();
    this.fillPath();
    this.select(this.selected);
    element('nodes').textContent = `${this.view.nodes.size} nodes`;
  }

  fillPath() {
    const path = element('path');
    path.replaceChildren();
    (this.view ? this.view.path : []).forEach((part, i) => {
      if (i > 0) path.append(' \u203a ');
      const crumb = /** @type {HTMLButtonElement} */ (html('button', 'link', part.text));
      crumb.disabled = part.block < 0;
      crumb.addEventListener('click', () => this.openBlock(part.block));
      path.append(crumb);
    });
  }

  /** Shows a block from the operation that has the block the graph is in. @param {number} block */
  openBlock(block) {
    if (!this.view) return;
    let inner = this.view.block;
    while (inner !== block && inner >= 0) {
      const parent = this.plan.data.blocks.parent[inner];
      if (parent < 0) break;
      if (this.plan.blockOf(parent) === block) return this.page.open(parent, -1);
      inner = this.plan.blockOf(parent);
    }
    this.page.open(this.plan.opsOf[block][0], -1);
  }

  /** @param {string} id */
  select(id) {
    const node = this.view?.nodes.get(id);
    if (!node) return;
    this.selected = id;
    for (const old of document.querySelectorAll('.selected')) old.classList.remove('selected');
    element('graph').querySelector(`[data-id="${id}"]`)?.classList.add('selected');
    for (const edge of element('graph').querySelectorAll('.edge')) {
      const near = edge.getAttribute('data-from') === id || edge.getAttribute('data-to') === id;
      if (near) edge.classList.add('selected');
    }
    const {plan} = this;
    const details = element('details');
    if (node.fold) {
      const {repeat, first, last} = node.fold;
      const open = html('button', '', 'Unfold the first of them');
      open.addEventListener('click', () => this.enter(id));
      details.replaceChildren(html('h2', '', `${last - first + 1} layers of ${repeat.length} operations`), open);
      return;
    }
    const v = node.value >= 0 ? node.value : plan.data.ops.outputs[node.op] ? plan.firstOutput[node.op] : -1;
    if (v < 0) {
      details.replaceChildren(html('h2', '', plan.opName(node.op)), neighboursOf(plan, node.op, this.page.stage,
          (w) => this.page.openValue(w)));
      return;
    }
    fillDetails(details, plan, v, this.page.stage, (w) => this.page.openValue(w), this.page.inOther(v));
    details.scrollTop = 0;
  }

  /** Unfolds layers, enters the region or the function of a node, or goes to it. @param {string} id */
  enter(id) {
    const node = this.view?.nodes.get(id);
    if (!node) return;
    const {plan} = this;
    if (node.fold) {
      const {opened} = this.around[this.page.current];
      const {repeat, first} = node.fold;
      opened.set(repeat, (opened.get(repeat) || new Set()).add(first));
      this.most = Math.min(MOST_NODES, this.most + 40);
      return this.draw(false);
    }
    if (node.op < 0) return this.page.openValue(node.value);
    const callee = plan.data.ops.callees[node.op];
    const blocks = plan.blocksOf.get(node.op);
    const block = callee !== undefined ? plan.data.functions[callee].body
        : blocks ? blocks[blocks.length - 1] : -1;
    if (block >= 0 && plan.opsOf[block].length) return this.page.open(plan.opsOf[block][0], -1);
    this.page.open(node.op, -1);
  }

  /** @param {number} factor */
  grow(factor) {
    if (!this.view) return;
    this.most = Math.max(10, Math.min(MOST_NODES, Math.round(this.most * factor)));
    this.draw(true);
  }

  /** Selects the nearest node in a direction. @param {string} key */
  step(key) {
    const places = [...element('graph').querySelectorAll('.node')].map((node) => {
      const box = node.getBoundingClientRect();
      return {id: node.getAttribute('data-id') || '', x: box.x, y: box.y};
    });
    const from = places.find((p) => p.id === this.selected);
    if (!from) return;
    const upright = key === 'ArrowUp' || key === 'ArrowDown';
    const sign = key === 'ArrowUp' || key === 'ArrowLeft' ? -1 : 1;
    let best = '';
    let least = Infinity;
    for (const p of places) {
      const ahead = sign * (upright ? p.y - from.y : p.x - from.x);
      const aside = Math.abs(upright ? p.x - from.x : p.y - from.y);
      if (ahead < 4) continue;
      const far = ahead + 2 * aside;
      if (far < least) [best, least] = [p.id, far];
    }
    if (!best) return;
    this.select(best);
    this.keepInSight(best);
  }

  /** @param {string} id */
  keepInSight(id) {
    const box = element('graph').getBoundingClientRect();
    const node = element('graph').querySelector(`[data-id="${id}"]`)?.getBoundingClientRect();
    if (!node) return;
    const dx = Math.min(0, box.right - node.right - 20) + Math.max(0, box.left - node.left + 20);
    const dy = Math.min(0, box.bottom - node.bottom - 20) + Math.max(0, box.top - node.top + 20);
    this.zoom = {...this.zoom, x: this.zoom.x + dx, y: this.zoom.y + dy};
    this.applyZoom();
  }
}

function arrowMarker() {
  const defs = svg('defs');
  const marker = svg('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: 'auto'});
  marker.append(svg('path', {d: 'M0 1L7 4L0 7', class: 'arrow'}));
  defs.append(marker);
  return defs;
}
