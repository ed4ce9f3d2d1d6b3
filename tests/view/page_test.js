// The page of `shardprop view` in a browser: sizes, times, numbers, keys, and that nothing leaves the
// page. Usage: page_test.js SHARDPROP SOURCE_FOLDER SHARED_FOLDER [SCREENSHOT_FOLDER]. Exit code 77:
// there is no Chromium.
'use strict';
const {execFileSync, spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const {Browser} = require('./browser.js');

const [shardprop, sources, shared, screenshots] = process.argv.slice(2);

function findChromium() {
  const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

// Limits are those of a quiet machine with SHARDPROP_STRICT_TIMES=1. A machine that does other work
// too must not fail the test, which then only finds what takes forever.
const slack = process.env.SHARDPROP_STRICT_TIMES ? 1 : 20;

let failures = 0;
function check(holds, what) {
  if (holds) return;
  ++failures;
  console.error('FAILED: ' + what);
}

const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

// Times are of a machine that does other work too: the best of five clicks on a row counts.
async function clickRow(browser, list, number) {
  let best = Infinity;
  for (let i = 0; i < 5; ++i) {
    await browser.key('Escape');
    const seconds = await browser.eval(`(async () => {
      const row = document.querySelectorAll('#${list} tr[tabindex]')[${number}];
      const start = performance.now();
      row.focus();
      row.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      return performance.now() - start;
    })()`);
    best = Math.min(best, seconds);
  }
  return best;
}

async function checkProgram(browser, folder, {name, file, megabytes, seconds}) {
  const out = path.join(folder, name + '.html');
  execFileSync(shardprop, ['view', file, '--tries', '4', '-o', out], {stdio: ['ignore', 'ignore', 'ignore']});
  const size = fs.statSync(out).size;
  check(size <= megabytes * 1e6, `${name}: the page has ${size} bytes`);
  await browser.newPage(1400, 900);
  const opened = await browser.open(out);
  check(opened < seconds * slack, `${name}: opens in ${opened} s`);

  const cost = JSON.parse(execFileSync(shardprop, ['cost', '--json', file], {stdio: ['ignore', 'pipe', 'ignore']}));
  const rows = await browser.eval(`communicationRows(new Plan(JSON.parse(document.getElementById('plans').textContent)[0]))
      .map((row) => [row.kind, row.axes, row.inLoop, row.count, row.bytes])`);
  for (const own of cost.collectives) {
    const same = rows.filter(([kind, axes, loop]) => kind === own.kind && axes === own.axes && loop === own.in_loop);
    check(near(same.reduce((n, row) => n + row[4], 0), own.bytes_sent) &&
        same.reduce((n, row) => n + row[3], 0) === own.count, `${name}: ${own.kind} along ${own.axes} is not that of cost --json`);
  }
  check(near(rows.reduce((n, row) => n + row[4], 0), cost.total.bytes_sent), `${name}: the rows do not add up to the total of cost --json`);
  const shown = await browser.eval(`[...document.querySelectorAll('#communication tr[tabindex]')].map((row) => Number(row.dataset.bytes))`);
  check(shown.length === Math.min(rows.length, 200) && shown.every((bytes, i) => bytes === rows[i][4]),
      `${name}: the list shows other numbers than its rows have`);

  let slowest = 0;
  for (const list of ['communication', 'memory']) {
    for (const number of [0, 1, 2]) {
      const count = await browser.eval(`document.querySelectorAll('#${list} tr[tabindex]').length`);
      if (number >= count) continue;
      const time = await clickRow(browser, list, number);
      slowest = Math.max(slowest, time);
      check(time < 100 * slack, `${name}: a click on row ${number} of ${list} answers in ${time.toFixed(0)} ms`);
      const nodes = await browser.eval(`document.querySelectorAll('.node').length`);
      check(nodes > 1 && nodes <= 300, `${name}: the graph has ${nodes} nodes`);
    }
  }
  if (screenshots) await browser.screenshot(path.join(screenshots, name + '.png'));
  check(browser.requests.every((url) => url.startsWith('file://') || url.startsWith('data:')),
      `${name}: requests leave the page: ${browser.requests}`);
  check(browser.errors.length === 0, `${name}: ${browser.errors}`);
  console.log(`${name}: ${(size / 1e6).toFixed(2)} MB, opens in ${opened.toFixed(2)} s, a click takes up to ` +
      `${slowest.toFixed(0)} ms, ${rows.length} rows`);
}

// The whole page by keys alone.
async function checkKeys(browser, folder) {
  await browser.newPage(1400, 900);
  await browser.open(path.join(folder, 'decoder.html'));
  const mode = () => browser.eval('document.body.dataset.mode');
  await browser.key('ArrowDown');
  await browser.key('ArrowDown');
  await browser.key('Enter');
  check(await mode() === 'graph', 'Enter on a row opens the graph');
  await browser.key('g');
  const before = await browser.eval(`document.querySelector('.node.selected').dataset.id`);
  await browser.key('ArrowDown');
  check(await browser.eval(`document.querySelector('.node.selected').dataset.id`) !== before, 'an arrow selects another node');
  await browser.key('/');
  check(await browser.eval('document.activeElement.id') === 'search', '/ goes to the search');
  for (const letter of 'layers.3.query') await browser.key(letter);
  check(await browser.eval(`document.querySelectorAll('#found tr').length`) > 1, 'a search finds values');
  await browser.key('Enter');
  await browser.key('Enter');
  check((await browser.eval(`document.querySelector('#details h2').textContent`)).includes('layers.3.query'), 'Enter opens what was found');
  check(await browser.eval(`document.querySelectorAll('#details .chain li').length`) > 0, 'the details tell how axes came');
  check(await browser.eval(`document.querySelectorAll('#details .large').length`) > 0, 'the details draw the tensor over the mesh');
  await browser.key('Escape');
  check(await mode() === 'overview', 'Escape goes back to the lists');
  await browser.eval(`document.getElementById('stage').value = 0; document.getElementById('stage').dispatchEvent(new Event('input'))`);
  check(await browser.eval(`document.getElementById('stage-name').textContent`) === 'as given', 'the slider goes to the stage before propagation');
}

// The report on the page: all of its findings, with what they suggest; a click opens their value.
async function checkFindings(browser, folder) {
  const file = path.join(sources, 'examples/decoder_8b.json');
  const report = JSON.parse(execFileSync(shardprop, ['report', '--json', '--tries', '4', file],
      {stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28}));
  await browser.newPage(1400, 900);
  await browser.open(path.join(folder, 'decoder.html'));
  const own = await browser.eval(`JSON.parse(document.getElementById('plans').textContent)[0].findings`);
  const parts = (list) => JSON.stringify(list.map((f) => [f.kind, f.bytes, f.count, f.summary, f.reason]));
  check(parts(own) === parts(report.findings), 'the findings are those of report --json');
  check(own.every((f, i) => f.suggestion === report.findings[i].suggestion?.text), 'and so are the suggestions');
  const others = own.filter((f) => f.kind !== 'collective');
  const shown = await browser.eval(`[...document.querySelectorAll('#findings tr[tabindex]')].map((row) => row.textContent)`);
  check(others.length > 0 && shown.length === others.length && others.every((f, i) => shown[i].includes(f.reason)),
      'each finding besides the collectives has a row');
  const tried = own.filter((f) => f.kind === 'collective' && f.suggestion);
  const texts = await browser.eval(`[...document.querySelectorAll('#communication .try')].map((cell) => cell.textContent)`);
  check(tried.length > 0 && tried.every((f) => texts.includes('try: ' + f.suggestion)), 'a collective has its suggestion');
  await browser.eval(`document.querySelector('#findings tr[tabindex]').click()`);
  check(await browser.eval('document.body.dataset.mode') === 'graph', 'a click on a finding opens its value');
}

// Why an axis is not there, as explain tells it.
async function checkWhyNot(browser, folder) {
  const file = path.join(sources, 'examples/decoder_8b.json');
  const explained = JSON.parse(execFileSync(shardprop, ['explain', file, '%embedded', '--axis', 'model', '--json'],
      {stdio: ['ignore', 'pipe', 'ignore']})).values[0].missing[0];
  await browser.newPage(1400, 900);
  await browser.open(path.join(folder, 'decoder.html'));
  await browser.eval(`(() => {
    const input = document.getElementById('search');
    input.value = '%embedded';
    input.dispatchEvent(new Event('input'));
    document.querySelector('#found tr').click();
  })()`);
  const told = await browser.eval(`[...document.querySelectorAll('#details ul.chain li')].map((item) => item.textContent)`);
  const reason = explained.reasons[0].text;
  check(told.some((text) => text.startsWith('model') && text.includes(reason) && text.includes(explained.neighbour.name)),
      `the page tells why not as explain does: ${told} is without "${reason}"`);
}

// Each stage of the slider shows shardings; the first one those that were given.
async function checkStages(browser, folder) {
  await browser.newPage(1400, 900);
  await browser.open(path.join(folder, 'decoder.html'));
  await clickRow(browser, 'communication', 0);
  const stages = await browser.eval(`new Plan(JSON.parse(document.getElementById('plans').textContent)[0]).stages.map((s) => s.name)`);
  check(stages[0] === 'as given' && stages.some((name) => name.includes('round')) && stages.at(-1) === 'with collectives',
      `the stages are ${stages}`);
  const counts = [];
  for (let i = 0; i < stages.length; ++i) {
    await browser.eval(`(() => {
      const slider = document.getElementById('stage');
      slider.value = ${i};
      slider.dispatchEvent(new Event('input'));
    })()`);
    counts.push(await browser.eval(`document.querySelectorAll('.sizes rect').length`));
    check(await browser.eval(`document.getElementById('stage-name').textContent`) === stages[i], `the stage is called ${stages[i]}`);
  }
  check(counts[0] < counts.at(-1), `the axes become more from stage to stage: ${counts}`);
}

// At most 300 nodes; both themes; the memory over the program's length answers a click.
async function checkGraph(browser, folder) {
  await browser.newPage(1400, 900);
  await browser.open(path.join(folder, 'decoder.html'));
  await clickRow(browser, 'memory', 0);
  await browser.key('g');
  for (let i = 0; i < 8; ++i) await browser.key('+');
  const nodes = await browser.eval(`document.querySelectorAll('.node').length`);
  check(nodes > 100 && nodes <= 300, `the graph grows to ${nodes} nodes`);
  const colour = () => browser.eval(`getComputedStyle(document.body).backgroundColor`);
  const light = await colour();
  await browser.eval(`document.getElementById('theme').click()`);
  check(await colour() !== light, 'the theme changes the colours');
  if (screenshots) await browser.screenshot(path.join(screenshots, 'dark.png'));
  await browser.key('Escape');
  await browser.eval(`(() => {
    const chart = document.querySelector('#live .chart');
    const box = chart.getBoundingClientRect();
    chart.dispatchEvent(new MouseEvent('click', {clientX: box.x + box.width / 2, clientY: box.y + 9, bubbles: true}));
  })()`);
  check(await browser.eval('document.body.dataset.mode') === 'graph', 'a click on the chart opens the operation there');
}

// A program that comes with its collectives has a page too, without ways.
async function checkExplicit(browser, folder) {
  const program = path.join(folder, 'explicit.json');
  const out = path.join(folder, 'explicit.html');
  execFileSync(shardprop, ['propagate', path.join(sources, 'examples/decoder_8b.json'), '--collectives', '-o', program],
      {stdio: ['ignore', 'ignore', 'ignore']});
  execFileSync(shardprop, ['view', program, '-o', out], {stdio: ['ignore', 'ignore', 'ignore']});
  await browser.newPage(1400, 900);
  await browser.open(out);
  await clickRow(browser, 'communication', 0);
  check((await browser.eval(`document.getElementById('details').textContent`)).includes('came with its collectives'),
      'the page says that the program came with its collectives');
  check(browser.errors.length === 0, `${browser.errors}`);
}

async function checkCompare(browser, folder) {
  const other = path.join(folder, 'other.json');
  const program = JSON.parse(fs.readFileSync(path.join(sources, 'examples/decoder_8b.json'), 'utf8'));
  for (const argument of program.functions[0].arguments) {
    if (argument.name.includes('gate_weight')) argument.sharding = {mesh: 'mesh', dims: [{}, {axes: ['model']}]};
  }
  fs.writeFileSync(other, JSON.stringify(program));
  const out = path.join(folder, 'compare.html');
  const file = path.join(sources, 'examples/decoder_8b.json');
  execFileSync(shardprop, ['view', file, '--compare', other, '-o', out], {stdio: ['ignore', 'ignore', 'ignore']});
  await browser.newPage(1400, 900);
  await browser.open(out);
  const total = (of) => JSON.parse(execFileSync(shardprop, ['cost', '--json', of], {stdio: ['ignore', 'pipe', 'ignore']})).total.bytes_sent;
  const difference = await browser.eval(`(() => {
    const [a, b] = JSON.parse(document.getElementById('plans').textContent).map((d) => communicationRows(new Plan(d)));
    return pairRows(a, b).reduce((n, p) => n + (p.b ? p.b.bytes : 0) - (p.a ? p.a.bytes : 0), 0);
  })()`);
  check(near(difference, total(other) - total(file)), 'the differences add up to that of cost --json');
  check((await browser.eval(`document.querySelector('#communication .delta').textContent`)).includes('MiB'), 'the row that differs most comes first');
  if (screenshots) await browser.screenshot(path.join(screenshots, 'compare.png'));
  await clickRow(browser, 'communication', 0);
  const first = await browser.eval(`document.getElementById('plan').textContent`);
  await browser.eval(`document.getElementById('plan').click()`);
  check(await browser.eval(`document.getElementById('plan').textContent`) !== first, 'the button shows the other plan');
  check((await browser.eval(`document.getElementById('details').textContent`)).includes('In the other plan'),
      'a value shows its sharding in the other plan');
}

async function main() {
  const chromium = findChromium();
  if (!chromium) {
    console.log('skipped: there is no Chromium');
    return 77;
  }
  const browser = new Browser(chromium);
  const data = path.join(shared, 'data');
  const programs = [
    {name: 'decoder', file: path.join(sources, 'examples/decoder_8b.json'), megabytes: 5, seconds: 3},
    {name: 'gpt_oss', file: path.join(data, 'mlir/tenstorrent__gpt_oss_120b_tp_decode_frontend.mlir'), megabytes: 5, seconds: 3},
    {name: 'transformer_1000', file: path.join(data, 'json/transformer-1000.json'), megabytes: 30, seconds: 10},
  ];
  try {
    for (const program of programs) {
      if (fs.existsSync(program.file)) await checkProgram(browser, browser.folder, program);
    }
    for (const part of [checkKeys, checkFindings, checkWhyNot, checkStages, checkGraph, checkExplicit]) await part(browser, browser.folder);
    await checkCompare(browser, browser.folder);
  } finally {
    await browser.close();
  }
  return failures ? 1 : 0;
}

main().then((code) => process.exit(code), (error) => {
  console.error(error);
  process.exit(1);
});
