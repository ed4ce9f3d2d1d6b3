// The lists with their rows, the chart of live memory, and the search.
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
  if (row.suggestion) cell.append(html('div', 'try', 'try: ' + row.suggestion));
  return cell;
}

/** @param {Finding} row */
function findingText(row) {
  const cell = html('div');
  const head = html('div', 'head');
  // Some summaries are an operation and the reason.
  head.append(html('b', '', row.summary.replace(': ' + row.reason, '')));
  if (row.count > 1) head.append(html('span', 'muted', ` ${countText(row.count)}\u00d7`));
  cell.append(head, html('div', 'why', row.reason));
  if (row.suggestion) cell.append(html('div', 'try', 'try: ' + row.suggestion));
  return cell;
}

/** All findings but the collectives, which have a list of their own. @param {Plan} plan */
function findingRows(plan) {
  return plan.findings.filter((row) => row.kind !== 'collective')
      .map((row) => ({...row, key: `${row.kind}|${row.summary}|${row.reason}`}));
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
        : [text(a), a.measure === 'none' ? '' : bytesBar(bytes(a), most)];
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
