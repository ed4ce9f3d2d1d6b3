// The page: what is selected, keys, and which parts are drawn again after a change.
'use strict';

class Page {
  constructor() {
    const data = JSON.parse(element('plans').textContent || '[]');
    /** @type {Plan[]} */
    this.plans = data.map((/** @type {any} */ d) => new Plan(d));
    this.around = this.plans.map((plan) => new Neighbourhood(plan));
    this.current = 0;     // the plan whose graph is shown
    this.focusOp = -1;    // what the graph is around
    this.focusValue = -1;
    this.selected = '';   // the node whose details are shown
    this.stage = this.plans[0].stages.length - 1;
    this.most = 32;       // nodes of the graph
    /** @type {View | null} */
    this.view = null;
    this.tab = 'communication';
    this.zoom = {x: 0, y: 0, scale: 1};
  }

  get plan() { return this.plans[this.current]; }

  start() {
    // The same colours in any order of drawing: those of the meshes first.
    for (const plan of this.plans) plan.meshes.forEach((mesh) => mesh.axes.forEach(([name]) => axisColour(name)));
    this.fillHeader();
    this.fillLists();
    this.wire();
    // Folding and the first layout take longest, so they are done before the first click.
    this.plans.forEach((plan, i) => {
      if (!plan.opCount) return;
      const view = this.around[i].around(plan.opsOf[plan.data.functions[plan.entry()].body][0], -1, 32);
      layOut(view);
      view.nodes.forEach((node) => nodePicture(plan, node, this.stage));
    });
    this.showOverview();
    document.body.dataset.ready = 'true';
  }

  fillHeader() {
    const [plan] = this.plans;
    document.title = `${plan.title.replace(/^.*\//, '')} \u2013 shardprop`;
    element('title').textContent = this.plans.map((p) => p.title.replace(/^.*\//, '')).join(' | ');
    const legend = element('legend');
    const seen = new Set();
    for (const mesh of this.plans.flatMap((p) => p.meshes)) {
      for (const [name, size] of mesh.axes) {
        if (seen.has(name)) continue;
        seen.add(name);
        const chip = html('span', 'chip', `${name} ${size}`);
        chip.style.background = axisColour(name);
        legend.append(chip);
      }
    }
    element('totals').textContent = this.plans.map((p) => {
      const {total} = p.data.cost;
      return `${bytesText(total.bytes_sent)} sent by each device in ${countText(total.count)} collectives, ` +
          `${countText(p.opCount)} operations`;
    }).join(' | ');
    const slider = /** @type {HTMLInputElement} */ (element('stage'));
    slider.max = String(plan.stages.length - 1);
    slider.value = String(this.stage);
    this.nameStage();
    element('plan').hidden = this.plans.length < 2;
  }

  nameStage() {
    const {stages} = this.plan;
    element('stage-name').textContent = stages[Math.min(this.stage, stages.length - 1)].name;
  }

  fillLists() {
    const rows = this.plans.map(communicationRows);
    const curves = this.plans.map(liveMemory);
    const memory = this.plans.map((plan, i) => memoryRows(plan, curves[i]));
    element('peak').textContent = curves.map((c) => bytesText(c.most)).join(' | ');
    const pair = (/** @type {any[][]} */ lists) => lists.length > 1 ? lists[1] : null;
    fillList(element('communication'), rows[0], pair(rows), communicationText, (row, plan) => {
      this.current = plan;
      this.open(row.ops[0], -1);
    });
    fillList(element('memory'), memory[0], pair(memory), memoryText, (row, plan) => {
      this.current = plan;
      this.openValue(row.values[0]);
    });
    drawChart(element('live'), curves, (op, plan) => {
      this.current = plan;
      this.open(op, -1);
    });
  }

  wire() {
    element('back').addEventListener('click', () => this.showOverview());
    element('theme').addEventListener('click', () => {
      const dark = document.documentElement.dataset.theme
          ? document.documentElement.dataset.theme === 'dark'
          : matchMedia('(prefers-color-scheme: dark)').matches;
      document.documentElement.dataset.theme = dark ? 'light' : 'dark';
    });
    element('plan').addEventListener('click', () => this.otherPlan());
    element('more').addEventListener('click', () => this.grow(1.7));
    element('fewer').addEventListener('click', () => this.grow(1 / 1.7));
    element('stage').addEventListener('input', (event) => {
      this.stage = Number(/** @type {HTMLInputElement} */ (event.target).value);
      this.nameStage();
      if (this.view) this.draw(false);
    });
    const input = /** @type {HTMLInputElement} */ (element('search'));
    input.addEventListener('input', () => this.find(input.value.trim()));
    for (const name of ['communication', 'memory', 'found'])
      element('tab-' + name).addEventListener('click', () => this.showTab(name));
    document.addEventListener('keydown', (event) => this.key(event));
    this.wireGraph();
  }

  wireGraph() {
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

  showOverview() {
    document.body.dataset.mode = 'overview';
    this.view = null;
    this.markRow(null);
  }

  /** @param {string} name */
  showTab(name) {
    this.tab = name;
    document.body.dataset.tab = name;
  }

  /** Shows the graph around an operation, or around an argument. @param {number} op @param {number} value */
  open(op, value) {
    this.focusOp = op;
    this.focusValue = value;
    this.most = 32;
    this.showGraph();
  }

  /** @param {number} v */
  openValue(v) { this.open(this.plan.maker[v], this.plan.maker[v] >= 0 ? -1 : v); }

  showGraph() {
    const active = document.activeElement?.closest('tr');
    document.body.dataset.mode = 'graph';
    if (active) {
      this.markRow(active);
      this.showTab(active.closest('#memory') ? 'memory' : active.closest('#found') ? 'found' : 'communication');
    }
    this.stage = Math.min(this.stage, this.plan.stages.length - 1);
    this.selected = '';
    this.draw(true);
  }

  /** @param {Element | null} row */
  markRow(row) {
    for (const old of document.querySelectorAll('tr.open')) old.classList.remove('open');
    row?.classList.add('open');
    row?.scrollIntoView({block: 'nearest'});
  }

  /** @param {boolean} centre whether to move to what the graph is around */
  draw(centre) {
    const around = this.around[this.current];
    this.view = around.around(this.focusOp, this.focusValue, this.most);
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
      const drawn = nodePicture(this.plan, node, this.stage);
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
      if (this.plan.blockOf(parent) === block) return this.open(parent, -1);
      inner = this.plan.blockOf(parent);
    }
    this.open(this.plan.opsOf[block][0], -1);
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
      details.replaceChildren(html('h2', '', plan.opName(node.op)), neighboursOf(plan, node.op, this.stage,
          (w) => this.openValue(w)));
      return;
    }
    fillDetails(details, plan, v, this.stage, (w) => this.openValue(w), this.inOther(v));
    details.scrollTop = 0;
  }

  /** The value of the same name in the other plan. @param {number} v */
  inOther(v) {
    if (this.plans.length < 2) return null;
    const plan = this.plans[1 - this.current];
    const name = this.plan.valueName(v);
    const func = this.plan.blockName(this.plan.blockPath(this.plan.blockOfValue(v))[0]);
    for (let w = 0; w < plan.valueCount; ++w) {
      if (plan.valueName(w) === name && plan.blockName(plan.blockPath(plan.blockOfValue(w))[0]) === func)
        return {plan, value: w};
    }
    return null;
  }

  /** Unfolds layers, enters the region or the function of a node, or goes to it. @param {string} id */
  enter(id) {
    const node = this.view?.nodes.get(id);
    if (!node) return;
    const {plan} = this;
    if (node.fold) {
      const {opened} = this.around[this.current];
      const {repeat, first} = node.fold;
      opened.set(repeat, (opened.get(repeat) || new Set()).add(first));
      this.most = Math.min(MOST_NODES, this.most + 40);
      return this.draw(false);
    }
    if (node.op < 0) return this.openValue(node.value);
    const callee = plan.data.ops.callees[node.op];
    const blocks = plan.blocksOf.get(node.op);
    const block = callee !== undefined ? plan.data.functions[callee].body
        : blocks ? blocks[blocks.length - 1] : -1;
    if (block >= 0 && plan.opsOf[block].length) return this.open(plan.opsOf[block][0], -1);
    this.open(node.op, -1);
  }

  /** @param {number} factor */
  grow(factor) {
    if (!this.view) return;
    this.most = Math.max(10, Math.min(MOST_NODES, Math.round(this.most * factor)));
    this.draw(true);
  }

  otherPlan() {
    this.current = 1 - this.current;
    element('plan').textContent = this.current ? 'plan B' : 'plan A';
    this.nameStage();
    if (!this.view) return;
    const v = this.focusOp >= 0 ? this.plans[1 - this.current].firstOutput[this.focusOp] : this.focusValue;
    this.current = 1 - this.current;
    const same = this.inOther(v);
    this.current = 1 - this.current;
    if (same) this.openValue(same.value); else this.showOverview();
  }

  /** @param {string} text */
  find(text) {
    const into = element('found');
    if (!text) {
      this.showTab('communication');
      return into.replaceChildren();
    }
    const table = html('table');
    for (const v of search(this.plan, text)) {
      const op = this.plan.maker[v];
      const cell = html('div');
      cell.append(html('b', '', this.plan.valueName(v)), ' ' + (op >= 0 ? this.plan.shortName(op) : 'argument'));
      cell.append(html('div', 'muted', `${typeText(this.plan.type(v))} ${op >= 0 ? this.plan.place(op) : ''}`));
      const row = tableRow([cell], ['what']);
      row.addEventListener('click', () => this.openValue(v));
      row.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') this.openValue(v);
      });
      table.append(row);
    }
    into.replaceChildren(table);
    if (!table.children.length) into.append(html('p', 'muted', 'nothing has this in its name, kind, type or source'));
    this.showTab('found');
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target === element('search');
    if (event.key === 'Escape') {
      if (typing) element('search').blur(); else this.showOverview();
      return;
    }
    if (typing) {
      if (event.key === 'Enter' || event.key === 'ArrowDown')
        /** @type {HTMLElement | null} */ (document.querySelector('#found tr'))?.focus();
      return;
    }
    const row = document.activeElement?.closest('tr[tabindex]');
    if (event.key === '/') {
      event.preventDefault();
      element('search').focus();
    } else if (row && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
      /** @type {HTMLElement | null} */ (next)?.focus();
    } else if (this.view && !row && event.key.startsWith('Arrow')) {
      event.preventDefault();
      this.step(event.key);
    } else if (this.view && !row && event.key === 'Enter') {
      this.enter(this.selected);
    } else if (!this.view && event.key === 'ArrowDown') {
      /** @type {HTMLElement | null} */ (document.querySelector('#communication tr[tabindex]'))?.focus();
    } else if (event.key === '+' || event.key === '-') {
      this.grow(event.key === '+' ? 1.7 : 1 / 1.7);
    } else if (event.key === 'g') {
      /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
    }
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

/** @param {Plan} plan @param {number} op @param {number} stage @param {(v: number) => void} go */
function neighboursOf(plan, op, stage, go) {
  const list = html('table', 'neighbours');
  plan.inputs(op).slice(0, 40).forEach((v, i) => {
    const row = html('tr');
    const link = html('td');
    link.append(valueLink(plan, v, go));
    row.append(html('td', 'muted', `operand ${i}`), link, html('td', '', shardingText(plan.sharding(v, stage))));
    list.append(row);
  });
  return list;
}

function arrowMarker() {
  const defs = svg('defs');
  const marker = svg('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7,
    markerHeight: 7, orient: 'auto'});
  marker.append(svg('path', {d: 'M0 1L7 4L0 7', class: 'arrow'}));
  defs.append(marker);
  return defs;
}

/** @param {string} id @returns {HTMLElement} */
function element(id) { return /** @type {HTMLElement} */ (document.getElementById(id)); }

new Page().start();
