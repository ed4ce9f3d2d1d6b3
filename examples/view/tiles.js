// A tensor over its mesh as SVG: lines where it is cut, in the colours of the axes, and the part of
// the first device filled.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} tag @param {Record<string, string | number>} [attributes] @param {string} [text] */
function svg(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}

/** @param {string} tag @param {string} [kind] the class @param {string} [text] */
function html(tag, kind, text) {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Colours that people with any colour vision tell apart (Okabe and Ito), then more of them.
const AXIS_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a5195',
  '#8c8c3a'];

/** The colour of an axis: the same name has the same colour in all meshes of a page. */
const axisColour = (() => {
  /** @type {Map<string, string>} */
  const known = new Map();
  return (/** @type {string} */ name) => {
    let colour = known.get(name);
    if (!colour) known.set(name, colour = AXIS_COLOURS[known.size % AXIS_COLOURS.length]);
    return colour;
  };
})();

/** @param {AxisRef} axis @param {Mesh} mesh */
function colourOf(axis, mesh) { return axisColour(mesh.axes[axis[0]][0]); }

/** The dimensions that are drawn: those with axes, else the first ones. The later is the columns.
 * @param {Plan} plan @param {number} v @param {Sharding | null} s */
function drawnDimensions(plan, v, s) {
  const shape = plan.type(v).shape || [];
  const split = shape.map((_, d) => d).filter((d) => s && s.dims[d] && s.dims[d].length > 0);
  const others = shape.map((_, d) => d).filter((d) => !split.includes(d));
  const chosen = split.concat(others).slice(0, 2).sort((a, b) => a - b);
  return {
    column: chosen.length ? chosen[chosen.length - 1] : -1,
    row: chosen.length > 1 ? chosen[0] : -1,
  };
}

/** @param {Sharding | null} s @param {number} d @returns {AxisRef[]} */
function axesOf(s, d) { return (s && d >= 0 && s.dims[d]) || []; }

/** A small picture, `size` wide and high. @param {Plan} plan @param {number} v @param {number} stage
 * @param {number} size */
function smallTile(plan, v, stage, size) {
  const s = plan.sharding(v, stage);
  const {row, column} = drawnDimensions(plan, v, s);
  const picture = svg('g', {class: 'tile'});
  const rows = partsOf(axesOf(s, row));
  const columns = partsOf(axesOf(s, column));
  picture.append(svg('rect', {class: 'whole', width: size, height: size, rx: 2}));
  picture.append(svg('rect', {class: s ? 'part' : 'part none', width: Math.max(2, size / columns),
    height: Math.max(2, size / rows), rx: 2}));
  cuts(picture, s, axesOf(s, column), size, true);
  cuts(picture, s, axesOf(s, row), size, false);
  if (s && s.unreduced.length) {
    for (let i = 1; i < 4; ++i) {
      picture.append(svg('line', {class: 'partial', x1: 0, y1: size * i / 4, x2: size * i / 4, y2: 0}));
    }
  }
  return picture;
}

/** The lines between parts, those of the major axis the thickest; many are drawn as 16.
 * @param {Element} picture @param {Sharding | null} s @param {AxisRef[]} axes @param {number} size
 * @param {boolean} upright */
function cuts(picture, s, axes, size, upright) {
  if (!s) return;
  let parts = 1;
  axes.forEach((axis, i) => {
    const before = parts;
    parts *= axis[2];
    const shown = Math.min(parts, 16);
    if (shown <= before && i > 0) return;
    for (let k = 1; k < shown; ++k) {
      if (i > 0 && parts <= 16 && k % axis[2] === 0) continue;
      const at = size * k / shown;
      picture.append(svg('line', {
        x1: upright ? at : 0, x2: upright ? at : size, y1: upright ? 0 : at, y2: upright ? size : at,
        stroke: colourOf(axis, s.mesh), 'stroke-width': i === 0 ? 1.8 : 1,
      }));
    }
  });
  // A frame in the colours of the axes, so that few lines are seen too.
  axes.forEach((axis, i) => {
    picture.append(svg('rect', {x: upright ? size * i / axes.length : -4, y: upright ? -4 : size * i / axes.length,
      width: upright ? size / axes.length : 3, height: upright ? 3 : size / axes.length,
      fill: colourOf(axis, s.mesh)}));
  });
}

/** The sizes on a device with the axes that split them, as HTML. @param {Plan} plan @param {number} v
 * @param {number} stage */
function dimsHtml(plan, v, stage) {
  const out = html('span', 'dims');
  const {shape} = plan.type(v);
  const s = plan.sharding(v, stage);
  if (!shape) {
    out.append(plan.type(v).dtype);
    return out;
  }
  if (!shape.length) out.append('scalar');
  shape.forEach((size, d) => {
    if (d > 0) out.append(html('span', 'times', '\u00d7'));
    const dim = html('span', 'dim', String(size));
    for (const axis of axesOf(s, d)) {
      const chip = html('span', 'chip', s ? axisText(axis, s.mesh) : '');
      chip.style.background = s ? colourOf(axis, s.mesh) : '';
      dim.append(chip);
    }
    out.append(dim);
  });
  return out;
}

/** The part of a device along axes. @param {AxisRef[]} axes @param {Mesh} mesh @param {number} device */
function partOf(axes, mesh, device) {
  return axes.reduce((part, [axis, pre, size]) => {
    const minor = mesh.axes.slice(axis + 1).reduce((n, a) => n * a[1], 1);
    const whole = mesh.axes[axis][1];
    return part * size + Math.floor(Math.floor(device / minor) % whole / (whole / (pre * size))) % size;
  }, 0);
}

/** `0-3, 8`. @param {number[]} numbers */
function rangesText(numbers) {
  const out = [];
  for (let i = 0; i < numbers.length;) {
    let last = i;
    while (last + 1 < numbers.length && numbers[last + 1] === numbers[last] + 1) ++last;
    out.push(last > i + 1 ? `${numbers[i]}-${numbers[last]}` : numbers.slice(i, last + 1).join(','));
    i = last + 1;
  }
  return out.join(',');
}

/** A large picture with the numbers of the devices. @param {Plan} plan @param {number} v
 * @param {number} stage @param {number} width */
function largeTile(plan, v, stage, width) {
  const s = plan.sharding(v, stage);
  const {row, column} = drawnDimensions(plan, v, s);
  const rows = Math.min(16, partsOf(axesOf(s, row)));
  const columns = Math.min(16, partsOf(axesOf(s, column)));
  const height = Math.max(56, Math.min(width * 0.7, rows * 26));
  const picture = svg('svg', {class: 'large', width: width + 8, height: height + 8,
    viewBox: `-5 -5 ${width + 8} ${height + 8}`, role: 'img'});
  const cells = cellDevices(s, row, column);
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) {
      const first = r === 0 && c === 0;
      picture.append(svg('rect', {class: first ? 'cell part' : 'cell', x: c * width / columns,
        y: r * height / rows, width: width / columns, height: height / rows}));
      const most = Math.floor(width / columns / 7.2);
      const text = rangesText(cells.get(`${r} ${c}`) || []);
      if (text.length > most && most < 3) continue;
      picture.append(svg('text', {x: (c + 0.5) * width / columns, y: (r + 0.5) * height / rows + 4,
        'text-anchor': 'middle'}, text.length > most ? text.slice(0, most - 1) + '\u2026' : text));
    }
  }
  edges(picture, s, axesOf(s, column), width, true);
  edges(picture, s, axesOf(s, row), height, false);
  return picture;
}

/** @param {Element} picture @param {Sharding | null} s @param {AxisRef[]} axes @param {number} size
 * @param {boolean} upright */
function edges(picture, s, axes, size, upright) {
  axes.forEach((axis, i) => {
    const at = size * i / axes.length;
    picture.append(svg('rect', {x: upright ? at : -5, y: upright ? -5 : at, rx: 1,
      width: upright ? size / axes.length : 4, height: upright ? 4 : size / axes.length,
      fill: s ? colourOf(axis, s.mesh) : ''}));
  });
}

/** The devices of each part that is drawn; of the other dimensions the first part.
 * @param {Sharding | null} s @param {number} row @param {number} column */
function cellDevices(s, row, column) {
  /** @type {Map<string, number[]>} */
  const cells = new Map();
  if (!s) return cells;
  const count = s.mesh.axes.reduce((n, a) => n * a[1], 1);
  for (let device = 0; device < Math.min(count, 1 << 14); ++device) {
    const hidden = s.dims.some((axes, d) =>
        d !== row && d !== column && partOf(axes, s.mesh, device) !== 0);
    if (hidden) continue;
    const key = `${partOf(axesOf(s, row), s.mesh, device)} ${partOf(axesOf(s, column), s.mesh, device)}`;
    const listed = s.mesh.devices.length ? s.mesh.devices[device] : device;
    cells.set(key, (cells.get(key) || []).concat(listed));
  }
  return cells;
}
