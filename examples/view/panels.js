// The lists, the chart of live memory, and what is known of one value.
'use strict';

/** Cells of a table row. @param {(Node | string)[]} cells @param {string[]} kinds */
function tableRow(cells, kinds) {
  const row = html('tr');
  row.tabIndex = 0;
  cells.forEach((cell, i) => {
    const td = html('td', kinds[i]);
    td.append(/** @type {any} */ (cell));
    row.append(td);
  });
  return row;
}

/** Axes as chips. @param {string} axes */
function axisChips(axes) {
  const out = html('span', 'chips');
  for (const axis of axes.split(', ').filter(Boolean)) {
    const chip = html('span', 'chip', axis);
    chip.style.background = axisColour(axis.replace(/:.*/, ''));
    out.append(chip);
  }
  return out;
}

/** A number of bytes over a bar of its share. @param {number} bytes @param {number} most */
function bytesBar(bytes, most) {
  const out = html('div', 'bar');
  const fill = html('div', bytes < 0 ? 'fill less' : 'fill');
  fill.style.width = `${most > 0 ? Math.max(1, Math.abs(bytes) / most * 100) : 0}%`;
  out.append(fill, html('span', '', bytesText(bytes)));
  return out;
}

const MOST_ROWS = 200;

/** @param {CommunicationRow} row */
function communicationText(row) {
  const cell = html('div');
  const head = html('div', 'head');
  head.append(html('b', '', row.kind), ' ', axisChips(row.axes));
  if (row.count > 1) head.append(html('span', 'muted', ` ${countText(row.count)}\u00d7`));
  if (row.inLoop) head.append(html('span', 'muted', ' each trip'));
  const why = html('div', 'why', cut(row.reason, 170));
  why.title = [row.reason, row.won].filter(Boolean).join('; ');
  cell.append(head, why);
  cell.append(html('div', 'muted', [row.what, row.type, row.place].filter(Boolean).join(' \u00b7 ')));
  return cell;
}

/** @param {MemoryRow} row */
function memoryText(row) {
  const cell = html('div');
  const head = html('div', 'head');
  const many = row.values.length > 1;
  head.append(html('b', '', row.name || row.what));
  if (many) head.append(html('span', 'muted', ` ${countText(row.values.length)}\u00d7 ${bytesText(row.each)}`));
  if (row.whole) head.append(html('span', 'warn', ' on every device'));
  cell.append(head, html('div', 'why', row.type), html('div', 'muted', row.sharding));
  return cell;
}

/**
 * A list of rows with bytes, and where there are two plans with those of both and the difference.
 * @param {HTMLElement} into @param {any[]} rows @param {any[] | null} others of the second plan
 * @param {(row: any) => Element} text @param {(row: any, plan: number) => void} open
 */
function fillList(into, rows, others, text, open) {
  const table = html('table');
  const pairs = pairRows(rows, others);
  const most = Math.max(1, ...pairs.map((p) => Math.max(p.a ? p.a.bytes : 0, p.b ? p.b.bytes : 0)));
  if (others) {
    const head = html('tr');
    for (const name of ['', 'plan A', 'plan B', 'B \u2212 A']) head.append(html('th', '', name));
    table.append(head);
  }
  for (const {a, b} of pairs.slice(0, MOST_ROWS)) {
    const bytes = (/** @type {any} */ r) => r ? r.bytes : 0;
    const cells = others ? [text(a || b), bytesBar(bytes(a), most), bytesBar(bytes(b), most),
      html('span', 'delta', differenceText(bytes(b) - bytes(a)))]
        : [text(a), bytesBar(bytes(a), most)];
    const row = tableRow(/** @type {any} */ (cells), ['what', 'size', 'size', 'size']);
    row.dataset.bytes = String(bytes(a));
    row.dataset.key = (a || b).key;
    row.addEventListener('click', () => open(a || b, a ? 0 : 1));
    row.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') open(a || b, a ? 0 : 1);
    });
    table.append(row);
  }
  into.replaceChildren(table);
  if (pairs.length > MOST_ROWS) {
    const rest = pairs.slice(MOST_ROWS).reduce((n, p) => n + (p.a ? p.a.bytes : 0), 0);
    into.append(html('p', 'muted', `and ${countText(pairs.length - MOST_ROWS)} more rows, ${bytesText(rest)}`));
  }
  if (!pairs.length) into.append(html('p', 'muted', 'nothing'));
}

/** @param {number} bytes */
function differenceText(bytes) {
  return bytes === 0 ? '=' : (bytes > 0 ? '+' : '') + bytesText(bytes);
}

/** Rows of two plans side by side: by what they are, else by what they are for. @param {any[]} rows
 * @param {any[] | null} others @returns {{a: any, b: any}[]} */
function pairRows(rows, others) {
  if (!others) return rows.map((a) => ({a, b: null}));
  const left = new Map(others.map((row) => [row.key, row]));
  const pairs = rows.map((a) => {
    const b = left.get(a.key) || null;
    left.delete(a.key);
    return {a, b};
  });
  for (const b of left.values()) pairs.push(/** @type {any} */ ({a: null, b}));
  const difference = (/** @type {any} */ p) => Math.abs((p.b ? p.b.bytes : 0) - (p.a ? p.a.bytes : 0));
  return pairs.sort((p, q) => difference(q) - difference(p));
}

/**
 * Live memory over the entry function as an area, the arguments left out. @param {HTMLElement} into
 * @param {LiveMemory[]} curves @param {(op: number, plan: number) => void} open
 */
function drawChart(into, curves, open) {
  const width = 1000;
  const height = 100;
  const most = Math.max(1, ...curves.map((c) => c.most - c.arguments));
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', class: 'chart'});
  curves.forEach((curve, i) => {
    const {bytes} = curve;
    const points = [];
    const steps = Math.min(width / 2, bytes.length);
    for (let k = 0; k < steps; ++k) {
      const from = Math.floor(k * bytes.length / steps);
      const to = Math.max(from + 1, Math.floor((k + 1) * bytes.length / steps));
      let high = 0;
      for (let j = from; j < to; ++j) high = Math.max(high, bytes[j] - curve.arguments);
      const y = (height - high / most * (height - 6)).toFixed(1);
      points.push(`${(k * width / steps).toFixed(1)},${y} ${((k + 1) * width / steps).toFixed(1)},${y}`);
    }
    picture.append(i === 0
        ? svg('polygon', {class: 'live', points: `0,${height} ${points.join(' ')} ${width},${height}`})
        : svg('polyline', {class: 'live second', points: points.join(' ')}));
  });
  const note = html('div', 'note', `live on each device from the first operation to the last: ${curves.map((c) =>
      `${bytesText(c.arguments)} of arguments and at most ${bytesText(c.most - c.arguments)} more`).join(' | ')}`);
  const line = svg('line', {class: 'cursor', y1: 0, y2: height, x1: -9, x2: -9});
  picture.append(line);
  const at = (/** @type {MouseEvent} */ event) => {
    const box = picture.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    return Math.max(0, Math.min(curves[0].ops.length - 1, Math.floor(share * curves[0].ops.length)));
  };
  picture.addEventListener('mousemove', (event) => {
    const i = at(/** @type {MouseEvent} */ (event));
    const x = (i + 0.5) / curves[0].ops.length * width;
    line.setAttribute('x1', String(x));
    line.setAttribute('x2', String(x));
    note.textContent = `operation ${countText(i + 1)} of ${countText(curves[0].ops.length)}: ` +
        `${bytesText(curves[0].bytes[i])} live on each device`;
  });
  picture.addEventListener('click', (event) => open(curves[0].ops[at(/** @type {MouseEvent} */ (event))], 0));
  into.replaceChildren(note, picture);
}

/** The way of an axis to a value, the origin first. @param {Plan} plan @param {number} v
 * @param {string} axis */
function chainOf(plan, v, axis) {
  const steps = [];
  const seen = new Set();
  const {hops} = plan.data;
  const base = axis.replace(/:.*/, '');
  while (v >= 0 && !seen.has(v)) {
    seen.add(v);
    const known = plan.hopsOf.get(v) || [];
    const hop = known.find((i) => plan.text(hops.axis[i]) === axis) ??
        known.find((i) => plan.text(hops.axis[i]).replace(/:.*/, '') === base);
    if (hop === undefined) break;
    steps.unshift({value: v, through: plan.text(hops.through[hop]), words: plan.text(hops.words[hop]),
      run: hops.run[hop]});
    v = hops.from[hop];
  }
  return steps;
}

/** Steps with equal stretches once: each stretch with how often it comes. @param {any[]} steps */
function foldChain(steps) {
  const likeness = steps.map((s) => s.through + s.words);
  const out = [];
  let i = 0;
  while (i < steps.length) {
    let best = {length: 1, times: 1};
    for (let length = 1; length <= 60 && i + 2 * length <= steps.length; ++length) {
      let times = 1;
      while (i + (times + 1) * length <= steps.length &&
          likeness.slice(i, i + length).every((t, k) => t === likeness[i + times * length + k])) ++times;
      if (times > 1 && (times - 1) * length > (best.times - 1) * best.length) best = {length, times};
    }
    out.push({steps: steps.slice(i, i + best.length), times: best.times});
    i += best.length * best.times;
  }
  return out;
}

/**
 * All about one value. @param {HTMLElement} into @param {Plan} plan @param {number} v @param {number} stage
 * @param {(v: number) => void} go @param {{plan: Plan, value: number} | null} other the same of a second plan
 */
function fillDetails(into, plan, v, stage, go, other) {
  const op = plan.maker[v];
  const head = html('h2', '', plan.valueTitle(v));
  const facts = html('dl');
  const fact = (/** @type {string} */ name, /** @type {string | Element} */ text) => {
    if (!text) return;
    facts.append(html('dt', '', name));
    const dd = html('dd');
    dd.append(text);
    facts.append(dd);
  };
  fact('made by', op >= 0 ? plan.opName(op) : 'an argument of ' + plan.blockName(plan.argumentOf[v]));
  if (op >= 0) fact('source', plan.place(op));
  fact('dimensions', dimsHtml(plan, v, stage));
  fact('type', typeText(plan.type(v)));
  const local = plan.localShape(v, stage);
  if (local) fact('on a device', `${local.join(' \u00d7 ') || 'the scalar'}, ${bytesText(plan.localBytes(v, stage))}`);
  fact('sharding', shardingText(plan.sharding(v, stage)));
  into.replaceChildren(head, facts);
  if (plan.sharding(v, stage) && plan.type(v).shape) into.append(largeTile(plan, v, stage, 320));
  if (other) {
    into.append(html('h3', '', 'In the other plan'), html('p', '', shardingText(other.plan.sharding(other.value))));
    if (other.plan.sharding(other.value)) into.append(largeTile(other.plan, other.value, other.plan.stages.length - 1, 320));
  }
  into.append(...whyParts(plan, v, stage, go), ...whyNotParts(plan, v, stage, go));
  into.append(html('h3', '', 'Operands and users'), neighbours(plan, v, stage, go));
}

/** A link to a value. @param {Plan} plan @param {number} v @param {(v: number) => void} go */
function valueLink(plan, v, go) {
  const link = html('button', 'link', plan.valueTitle(v));
  link.addEventListener('click', () => go(v));
  return link;
}

/** @param {Plan} plan @param {number} v @param {number} stage @param {(v: number) => void} go */
function whyParts(plan, v, stage, go) {
  const s = plan.sharding(v, stage);
  const axes = s ? s.dims.flatMap((dim, d) => dim.map((axis) => ({axis, d}))) : [];
  const source = plan.beforeCollectives(v);
  const parts = [];
  for (const {axis, d} of axes) {
    if (!s) continue;
    const name = axisText(axis, s.mesh);
    const steps = chainOf(plan, source, name);
    const title = html('h3');
    title.append('Why ', axisChips(name), ` in dimension ${d}`);
    const list = html('ol', 'chain');
    foldChain(steps).forEach((part, i) => {
      const item = html('li');
      part.steps.forEach((/** @type {any} */ step, /** @type {number} */ k) => {
        if (k > 6 && k < part.steps.length - 1) {
          if (k === 7) item.append(html('div', 'muted', `${part.steps.length - 8} more steps`));
          return;
        }
        const line = html('div');
        if (step.through) {
          line.append(`through ${step.through.replace(/^[a-z_]+\./, '')} to `, valueLink(plan, step.value, go));
          line.title = step.words;
        } else {
          line.append(valueLink(plan, step.value, go), ': ' + (step.words || 'it was given'));
        }
        item.append(line);
      });
      if (part.times > 1) item.append(html('div', 'muted', `and ${part.times - 1} more times the same`));
      list.append(item);
    });
    parts.push(title, steps.length ? list : html('p', 'muted', 'the collectives of the plan made it so'));
  }
  return parts;
}

/** The axes that a value does not have, and who around it has them. @param {Plan} plan @param {number} v
 * @param {number} stage @param {(v: number) => void} go @returns {Element[]} */
function absentAxes(plan, v, stage, go) {
  const s = plan.sharding(v, stage);
  const mesh = s ? s.mesh : plan.meshes[0];
  if (!mesh || !(plan.type(v).shape || []).length) return [];
  const has = (/** @type {number} */ w, /** @type {number} */ axis) => {
    const other = plan.sharding(w, stage);
    return other && other.mesh === mesh && other.dims.some((dim) => dim.some((a) => a[0] === axis));
  };
  const op = plan.maker[v];
  const around = (op >= 0 ? plan.inputs(op) : []).concat(
      ...[...plan.users(v)].slice(0, 8).map((user) => plan.outputs(user).concat(plan.inputs(user))));
  return mesh.axes.flatMap(([name], axis) => {
    if (has(v, axis)) return [];
    const item = html('li');
    const holder = around.find((w) => w !== v && has(w, axis));
    item.append(axisChips(name), ' ');
    if (op >= 0 && plan.isCollective(op) && has(plan.inputs(op)[0], axis)) {
      item.append('is taken away here');
    } else if (holder === undefined) {
      item.append('does not come to an operation that makes or uses it');
    } else {
      item.append('is on ', valueLink(plan, holder, go), ` as ${shardingText(plan.sharding(holder, stage))}`);
    }
    return [item];
  });
}

/** @param {Plan} plan @param {number} v @param {number} stage @param {(v: number) => void} go */
function whyNotParts(plan, v, stage, go) {
  const items = absentAxes(plan, v, stage, go);
  if (!items.length) return [];
  const list = html('ul', 'chain');
  list.append(...items);
  return [html('h3', '', 'Why not'), list];
}

/** @param {Plan} plan @param {number} v @param {number} stage @param {(v: number) => void} go */
function neighbours(plan, v, stage, go) {
  const table = html('table', 'neighbours');
  const add = (/** @type {string} */ role, /** @type {number} */ w) => {
    const row = html('tr');
    const link = html('td');
    link.append(valueLink(plan, w, go));
    row.append(html('td', 'muted', role), link, html('td', '', shardingText(plan.sharding(w, stage))));
    table.append(row);
  };
  const op = plan.maker[v];
  if (op >= 0) plan.inputs(op).slice(0, 12).forEach((w, i) => add(`operand ${i}`, w));
  for (const user of [...plan.users(v)].slice(0, 12)) {
    const [first] = plan.outputs(user);
    if (first !== undefined) add(plan.shortName(user), first);
  }
  return table;
}

/** Values and operations whose name, kind, place or type has `text`. @param {Plan} plan
 * @param {string} text @returns {number[]} operations or, below zero, -1 - value of arguments */
function search(plan, text) {
  const wanted = text.toLowerCase();
  /** @type {number[]} */
  const found = [];
  for (let v = 0; v < plan.valueCount && found.length < 100; ++v) {
    const op = plan.maker[v];
    const texts = [plan.valueName(v), op >= 0 ? plan.opName(op) : 'argument', op >= 0 ? plan.place(op) : '',
      typeText(plan.type(v))];
    if (texts.some((t) => t.toLowerCase().includes(wanted))) found.push(v);
  }
  const exact = (/** @type {number} */ v) => {
    const name = plan.valueName(v).toLowerCase();
    return name === wanted || name === '%' + wanted ? 0 : 1;
  };
  return found.sort((a, b) => exact(a) - exact(b));
}
