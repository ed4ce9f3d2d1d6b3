// The page: its plans, which of them and which stage are shown, its lists, search and keys.
'use strict';

class Page {
  constructor() {
    const data = JSON.parse(element('plans').textContent || '[]');
    /** @type {Plan[]} */
    this.plans = data.map((/** @type {any} */ d) => new Plan(d));
    this.current = 0;  // the plan whose graph is shown
    this.stage = this.plans[0].stages.length - 1;
    this.graph = new GraphPanel(this);
  }

  get plan() { return this.plans[this.current]; }

  start() {
    // The same colours in any order of drawing: those of the meshes first.
    for (const plan of this.plans) plan.meshes.forEach((mesh) => mesh.axes.forEach(([name]) => axisColour(name)));
    this.fillHeader();
    this.fillLists();
    this.wire();
    this.graph.prepare();
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
    const findings = this.plans.map(findingRows);
    fillList(element('findings'), findings[0], pair(findings), findingText, (row, plan) => {
      this.current = plan;
      if (row.values.length) this.openValue(row.values[0]);
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
    element('more').addEventListener('click', () => this.graph.grow(1.7));
    element('fewer').addEventListener('click', () => this.graph.grow(1 / 1.7));
    element('stage').addEventListener('input', (event) => {
      this.stage = Number(/** @type {HTMLInputElement} */ (event.target).value);
      this.nameStage();
      if (this.graph.view) this.graph.draw(false);
    });
    const input = /** @type {HTMLInputElement} */ (element('search'));
    input.addEventListener('input', () => this.find(input.value.trim()));
    for (const name of ['communication', 'findings', 'memory', 'found'])
      element('tab-' + name).addEventListener('click', () => this.showTab(name));
    document.addEventListener('keydown', (event) => this.key(event));
    this.graph.wire();
  }

  showOverview() {
    document.body.dataset.mode = 'overview';
    this.graph.close();
    this.markRow(null);
  }

  /** @param {string} name */
  showTab(name) {
    document.body.dataset.tab = name;
  }

  /** Shows the graph around an operation, or around an argument. @param {number} op @param {number} value */
  open(op, value) {
    const active = document.activeElement?.closest('tr');
    document.body.dataset.mode = 'graph';
    if (active) {
      this.markRow(active);
      this.showTab(active.closest('.list')?.id || 'communication');
    }
    this.stage = Math.min(this.stage, this.plan.stages.length - 1);
    this.graph.open(op, value);
  }

  /** @param {number} v */
  openValue(v) { this.open(this.plan.maker[v], this.plan.maker[v] >= 0 ? -1 : v); }

  /** @param {Element | null} row */
  markRow(row) {
    for (const old of document.querySelectorAll('tr.open')) old.classList.remove('open');
    row?.classList.add('open');
    row?.scrollIntoView({block: 'nearest'});
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

  otherPlan() {
    this.current = 1 - this.current;
    element('plan').textContent = this.current ? 'plan B' : 'plan A';
    this.nameStage();
    if (!this.graph.view) return;
    const {op, value} = this.graph;
    const v = op >= 0 ? this.plans[1 - this.current].firstOutput[op] : value;
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
    } else if (this.graph.view && !row && event.key.startsWith('Arrow')) {
      event.preventDefault();
      this.graph.step(event.key);
    } else if (this.graph.view && !row && event.key === 'Enter') {
      this.graph.enter(this.graph.selected);
    } else if (!this.graph.view && event.key === 'ArrowDown') {
      /** @type {HTMLElement | null} */ (document.querySelector('#communication tr[tabindex]'))?.focus();
    } else if (event.key === '+' || event.key === '-') {
      this.graph.grow(event.key === '+' ? 1.7 : 1 / 1.7);
    } else if (event.key === 'g') {
      /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
    }
  }
}

/** @param {string} id @returns {HTMLElement} */
function element(id) { return /** @type {HTMLElement} */ (document.getElementById(id)); }

new Page().start();
