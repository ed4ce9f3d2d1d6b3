// Headless Chromium by the DevTools protocol over a pipe: nothing but node is needed.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

class Browser {
  /** @param {string} program */
  constructor(program) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'shardprop-view-'));
    this.process = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu',
      '--disable-dev-shm-usage', '--remote-debugging-pipe', '--hide-scrollbars', '--no-first-run',
      '--disable-background-networking', '--user-data-dir=' + this.folder],
    {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.last = 0;
    this.session = undefined;
    this.waiting = new Map();
    this.listeners = [];
    let rest = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop();
      parts.forEach((part) => this.take(JSON.parse(part)));
    });
  }

  take(message) {
    const call = this.waiting.get(message.id);
    if (!call) return this.listeners.forEach((listener) => listener(message));
    this.waiting.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message)); else call.resolve(message.result);
  }

  /** Calls a method of the protocol. */
  call(method, params = {}) {
    const id = ++this.last;
    const message = {id, method, params};
    if (this.session) message.sessionId = this.session;
    this.process.stdio[3].write(JSON.stringify(message) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  /** A page of this size; `requests` lists what it asks for. */
  async newPage(width, height) {
    this.session = undefined;
    const {targetId} = await this.call('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.call('Target.attachToTarget', {targetId, flatten: true});
    this.session = sessionId;
    this.requests = [];
    this.errors = [];
    this.listeners = [({method, params}) => {
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
      if (method === 'Runtime.exceptionThrown')
        this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    }];
    for (const domain of ['Page', 'Network', 'Runtime']) await this.call(domain + '.enable');
    await this.call('Emulation.setDeviceMetricsOverride',
        {width, height, deviceScaleFactor: 1, mobile: false});
  }

  /** Opens a file; gives the seconds until the page is ready. */
  async open(file) {
    const start = Date.now();
    await this.call('Page.navigate', {url: 'file://' + file});
    while (await this.eval('document.body && document.body.dataset.ready') !== 'true') {
      if (this.errors.length) throw new Error(this.errors.join('\n'));
      if (Date.now() - start > 60000) throw new Error('the page does not become ready');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return (Date.now() - start) / 1000;
  }

  async eval(expression) {
    const {result, exceptionDetails} = await this.call('Runtime.evaluate',
        {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  /** Presses a key as a user does. */
  async key(key) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const codes = {Enter: 13, Escape: 27, ArrowUp: 38, ArrowDown: 40, ArrowLeft: 37, ArrowRight: 39};
    const event = {key, text, windowsVirtualKeyCode: codes[key] || 0};
    await this.call('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', ...event});
    await this.call('Input.dispatchKeyEvent', {type: 'keyUp', key});
  }

  async screenshot(file) {
    const {data} = await this.call('Page.captureScreenshot', {format: 'png'});
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close() {
    this.session = undefined;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.call('Browser.close').catch(() => {});
    setTimeout(() => this.process.kill('SIGKILL'), 5000).unref();
    await gone;
    fs.rmSync(this.folder, {recursive: true, force: true});
  }
}

module.exports = {Browser};
