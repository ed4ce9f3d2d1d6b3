// What is known of one value: how each axis came to it, why another one did not, and what is around.
'use strict';

/** The way of an axis to a value, the origin first. @param {Plan} plan @param {number} v
 * @param {string} axis */
function chainOf(plan, v, axis) {
  const steps = [];
  const seen = new Set();
  const {hops} = plan.data;
  const base = axis.replace(/:.*/, '');
  while (v >= 0 && !seen.has(v)) {
    seen.add(v);
    const known = plan.hopsOf.get(plan.firstCopy(v)) || [];
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
    parts.push(title, steps.length ? list : html('p', 'muted', plan.data.hops ? 'the collectives of the plan made it so'
        : 'the program came with its collectives, and not with how it was propagated'));
  }
  return parts;
}

/** Why an axis is not on a value, in the words of `shardprop explain`. @param {Plan} plan
 * @param {MissingAxis} missing @param {(v: number) => void} go */
function missingItem(plan, missing, go) {
  const {axis, at, neighbour, through, distance, others, reasons} = missing;
  const item = html('li');
  item.append(axisChips(axis));
  const link = (/** @type {number} */ v, /** @type {string} */ none) => v < 0 ? none : valueLink(plan, v, go);
  if (neighbour) {
    item.append(' is not on ', at.dim < 0 ? '' : `dimension ${at.dim} of `, link(at.value, 'the value'),
        distance > 0 ? `, ${distance} step${distance === 1 ? '' : 's'} away` : '', ', though ', link(neighbour.value, 'a result of the function'),
        ` has it on dimension ${neighbour.dim} (${through}): `);
  } else {
    item.append(' is not there: ');
  }
  reasons.forEach((reason, i) => {
    const [before, after = ''] = reason.text.split('{}');
    item.append(i > 0 ? '; then ' : '', before, reason.text.includes('{}') ? link(reason.value, 'the result') : '', after);
  });
  if (others > 0) item.append(html('span', 'muted', ` (and ${countText(others)} more like this)`));
  return item;
}

/** @param {Plan} plan @param {number} v @param {number} stage @param {(v: number) => void} go */
function whyNotParts(plan, v, stage, go) {
  const op = plan.maker[v];
  const list = html('ul', 'chain');
  const named = (/** @type {number} */ w) => {
    const s = plan.sharding(w, stage);
    return s ? s.dims.flatMap((dim) => dim.map((axis) => axisText(axis, s.mesh))) : [];
  };
  if (op >= 0 && plan.isCollective(op)) {
    const left = named(v);
    for (const axis of named(plan.inputs(op)[0]).filter((name) => !left.includes(name))) {
      const item = html('li');
      item.append(axisChips(axis), ' is taken away here');
      list.append(item);
    }
  }
  list.append(...plan.missing(plan.beforeCollectives(v)).map((missing) => missingItem(plan, missing, go)));
  return list.children.length ? [html('h3', '', 'Why not'), list] : [];
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
