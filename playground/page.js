// The page: two editors, what the engine makes of their texts, and a machine that runs the program. Nothing is asked of
// anybody but the engine, which is in the page.
const playground = (() => {
  'use strict';
  const $ = id => document.getElementById(id);
  const el = (tag, props = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), props);
    made.append(...children);
    return made;
  };
  const tab = 8, most_shared = 60000, most_unpacked = 4e6, check_after = 700;

  // --- an editor

  class Editor {
    constructor(place, label, changed, breaks) {
      this.area = el('textarea', {spellcheck: false, autocomplete: 'off', wrap: 'off'});
      this.area.setAttribute('aria-label', label);
      this.sheet = el('div', {className: 'sheet'});
      this.numbers = el('div', {className: 'numbers'});
      this.gutter = el('div', {className: 'gutter'}, this.numbers);
      place.append(el('div', {className: 'under'}, this.sheet), this.gutter, this.area);
      this.messages = [];
      this.breakpoints = new Set();
      this.now = 0;
      this.lines = [''];
      this.starts = [0];
      this.area.addEventListener('scroll', () => this.scrolled());
      this.area.addEventListener('input', () => { this.messages = []; this.read(); changed(); });
      for (const kind of ['keyup', 'click', 'focus', 'select']) this.area.addEventListener(kind, () => this.moved());
      this.gutter.addEventListener('click', event => {
        if (!breaks) return;
        const y = event.clientY - this.gutter.getBoundingClientRect().top + this.area.scrollTop;
        const line = Math.floor(y / this.height()) + 1;
        if (line <= this.lines.length) breaks(line);
      });
      this.at = 0;
      this.onmove = () => {};
    }
    height() { return this.row ||= parseFloat(getComputedStyle(this.area).lineHeight) || 19; }
    width() {
      if (!this.column) {
        const probe = el('span', {textContent: '0'.repeat(100)});
        this.sheet.append(probe);
        this.column = probe.getBoundingClientRect().width / 100;
        probe.remove();
      }
      return this.column;
    }
    get text() { return this.area.value; }
    set text(text) {
      this.area.value = text;
      this.area.scrollTop = this.area.scrollLeft = 0;
      this.area.setSelectionRange(0, 0);
      this.messages = [];
      this.breakpoints.clear();
      this.now = this.at = 0;
      this.read();
    }
    read() {
      this.lines = this.area.value.split('\n');
      this.starts = [0];
      for (const line of this.lines) this.starts.push(this.starts[this.starts.length - 1] + line.length + 1);
      if (this.numbered !== this.lines.length) {
        this.numbered = this.lines.length;
        this.numbers.textContent = this.lines.map((_, i) => i + 1).join('\n');
      }
      this.draw();
    }
    scrolled() {
      this.sheet.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
      this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
    }
    line_of(offset) {
      let low = 0, high = this.lines.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.starts[middle] <= offset) low = middle; else high = middle - 1;
      }
      return low;
    }
    columns(line, count) {
      let at = 0;
      for (const c of this.lines[line].slice(0, count)) at = c === '\t' ? at - at % tab + tab : at + 1;
      return at;
    }
    moved() {
      const line = this.line_of(this.area.selectionStart) + 1;
      if (line === this.at) return;
      this.at = line;
      this.draw();
      this.onmove(line);
    }
    go(from, to) {
      this.area.focus();
      this.area.setSelectionRange(from, to);
      this.show_line(this.line_of(from) + 1);
      this.moved();
    }
    show_line(line) {
      const top = (line - 1) * this.height(), area = this.area;
      if (top < area.scrollTop || top + 2 * this.height() > area.scrollTop + area.clientHeight)
        area.scrollTop = Math.max(0, top - area.clientHeight / 2);
    }
    // The marks, and what is said beside the line that they are in.
    draw() {
      const row = this.height(), wide = this.width(), parts = [];
      const band = (line, kind) => {
        const made = el('div', {className: `line ${kind}`});
        made.style.cssText = `top:${(line - 1) * row}px;height:${row}px`;
        parts.push(made);
      };
      if (this.at) band(this.at, 'cursor');
      if (this.now) band(this.now, 'here');
      const told = new Set();
      for (const message of this.messages.slice(0, 100)) {
        if (!message.mark) continue;
        const line = this.line_of(message.mark.from), from = this.columns(line, message.mark.from - this.starts[line]);
        const end = Math.min(message.mark.to, this.starts[line] + this.lines[line].length);
        const to = Math.max(this.columns(line, end - this.starts[line]), from + 1);
        const mark = el('div', {className: `mark ${message.severity}`});
        mark.style.cssText = `top:${line * row}px;height:${row}px;left:calc(0.5rem + ${from * wide}px);` +
                             `width:${(to - from) * wide}px`;
        parts.push(mark);
        if (told.has(line)) continue;
        told.add(line);
        const text = el('div', {className: `told ${message.severity}`, textContent: message.message});
        text.style.cssText = `top:${line * row}px;left:calc(2rem + ${this.columns(line, 1e6) * wide}px)`;
        parts.push(text);
      }
      this.sheet.replaceChildren(...parts);
      this.gutter.replaceChildren(this.numbers);
      this.numbers.querySelectorAll('.dot').forEach(dot => dot.remove());
      for (const line of this.breakpoints) {
        const dot = el('span', {className: 'dot'});
        dot.style.top = `${(line - 1) * row}px`;
        this.numbers.append(dot);
      }
      this.area.setAttribute('aria-invalid', this.messages.some(m => m.severity === 'error'));
      this.scrolled();
    }
  }

  // --- the engine

  const bytes_of = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const through = async (bytes, stream, most = Infinity) => {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
    let size = 0;
    for (let part; !(part = await reader.read()).done;) {
      size += part.value.length;
      if (size > most) throw new Error('too much');
      parts.push(part.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  const packed = id => through(bytes_of($(id).textContent), new DecompressionStream('gzip'));
  const text_of = bytes => new TextDecoder().decode(bytes);

  class Worker_ {
    constructor(code, wasm) {
      this.asked = new Map();
      this.number = 0;
      const heard = message => {
        if (message.problem) outcome(`The engine does not start: ${message.problem}`, true);
        if (message.progress) progress(message.progress);
        if (!message.answer) return;
        this.dead ||= message.answer.dead;
        this.asked.get(message.id)(message.answer);
        this.asked.delete(message.id);
      };
      const whole = `${code}
        self.onmessage = begin => {
          const hear = serveEngine(message => self.postMessage(message), makeEngine, begin.data);
          self.onmessage = event => hear(event.data);
        };`;
      try {
        this.worker = new Worker(URL.createObjectURL(new Blob([whole], {type: 'text/javascript'})));
        this.worker.onmessage = event => heard(event.data);
        this.worker.postMessage(wasm);
        this.post = message => this.worker.postMessage(message);
      } catch (refused) {
        this.post = new Function('heard', 'wasm', `${code}; return serveEngine(heard, makeEngine, wasm);`)(heard, wasm);
      }
    }
    ask(question) {
      const id = ++this.number;
      return new Promise(done => { this.asked.set(id, done); this.post({id, question}); });
    }
    pause() { this.post({pause: true}); }
    end() { this.worker?.terminate(); }
  }

  let engine = null, checker = null, engine_parts = null;

  // --- what there is to choose from

  const state = {
    set: '',            // the built-in one, or ''
    main: '', variant: '',   // of a description that was edited or is an example's own
    files: new Map(),   // its files that are not as they are built in
    file: '',           // that is in the editor
    program: {}, rows: [], by_line: new Map(), by_address: new Map(), about: null,
    machine: null, running: false, before: null, memory_before: '',
  };
  let sets = [], built_in = new Map(), groups = [], description, program;

  // The file that begins the description of a built-in set, and those that it includes.
  function main_of(name) {
    for (const [path, text] of built_in) {
      const words = text.split('\n').filter(line => /^(isa|variants) /.test(line)).join(' ').split(/[\s"]+/);
      if (words.includes(name)) return path;
    }
    return '';
  }
  const text_of_file = path => state.files.get(path) ?? built_in.get(path) ?? '';
  function files_of(main) {
    const found = [];
    const visit = path => {
      if (found.includes(path)) return;
      found.push(path);
      for (const [, name] of text_of_file(path).matchAll(/^include "([^"]+)"/gm)) visit(path.replace(/[^/]*$/, '') + name);
    };
    visit(main);
    return found;
  }

  function outcome(text, bad = false) {
    $('outcome').textContent = text;
    $('outcome').classList.toggle('bad', bad);
  }
  let said_until = 0;
  function say(text, ...more) {
    $('said').replaceChildren(text, ...more);
    $('said').hidden = false;
    clearTimeout(said_until);
    said_until = setTimeout(() => { $('said').hidden = true; }, 8000);
  }

  // --- messages

  const name_of = path => path.replace(/^.*\//, '');
  const with_place = ({place, message}) => (place ? `${name_of(place.file)}:${place.line}: ` : '') + message;
  function list_messages(list, messages, open) {
    list.replaceChildren(...messages.slice(0, 50).map(message => {
      const button = el('button', {type: 'button'}, with_place(message));
      for (const note of message.notes.slice(0, 5)) button.append(el('small', {textContent: with_place(note)}));
      if (message.suggestion) button.append(el('small', {textContent: `write ${message.suggestion}`}));
      button.onclick = () => message.place && open(message.place);
      return el('li', {className: message.severity}, button);
    }));
  }
  const counted = messages => {
    const errors = messages.filter(m => m.severity === 'error').length;
    const said = (count, what) => count > 0 ? [`${count} ${what}${count > 1 ? 's' : ''}`] : [];
    return [...said(errors, 'error'), ...said(messages.length - errors, 'warning')].join(', ');
  };
  const marks_in = (messages, file) =>
    messages.filter(({place}) => place && place.file === file).map(message => ({...message, mark: message.place}));
  function tell(where, messages, good) {
    const text = counted(messages) || good;
    $(`${where}-state`).textContent = text;
    $(`${where}-state`).classList.toggle('bad', messages.some(m => m.severity === 'error'));
  }

  // --- the description

  let loading = 0;
  async function load() {
    const mine = ++loading, edited = !state.set || state.files.size > 0;
    const question = edited ? {do: 'load', main: state.main, variant: state.variant, files: Object.fromEntries(state.files)}
                            : {do: 'load', name: state.set};
    const given = await engine.ask(question);
    if (mine !== loading) return;
    if (given.failure) { outcome(given.failure, true); return; }
    show_description(given.messages || [], given);
    if (!given.good) { disable(); return; }
    state.about = given;
    $('memory-which').replaceChildren(...given.memories.map((memory, i) => el('option', {value: i, textContent: memory.name})));
    await assemble();
    draw_map_soon();
    if (edited) check(given.messages);
  }
  function show_description(messages, given) {
    state.description_messages = messages;
    mark_description();
    list_messages($('description-messages'), messages, place => {
      open_file(place.file);
      description.go(place.from, place.to);
    });
    tell('description', messages, given.good ? `${given.instructions} instructions, ${given.formats} formats` : '');
    $('description-state').dataset.milliseconds = given.milliseconds;
  }
  function mark_description() {
    description.messages = marks_in(state.description_messages || [], state.file);
    description.draw();
  }
  // What takes seconds is another engine's, which is given up when the text changes.
  let check_timer = 0;
  function check(before) {
    clearTimeout(check_timer);
    if (checker) { checker.end(); checker = null; }
    if (!engine.worker) return;
    check_timer = setTimeout(async () => {
      const mine = checker = new Worker_(...engine_parts);
      await mine.ask({do: 'load', main: state.main, variant: state.variant, files: Object.fromEntries(state.files)});
      const given = await mine.ask({do: 'check'});
      mine.end();
      if (checker !== mine) return;
      checker = null;
      if (given.messages) show_description([...before, ...given.messages], {...state.about});
    }, check_after);
  }
  function show_files() {
    const one = path => el('option', {value: path, textContent: name_of(path)});
    $('description-file').replaceChildren(...files_of(state.main).map(one));
  }
  function open_file(path) {
    if (path === state.file) return;
    state.file = path;
    description.text = text_of_file(path);
    $('description-file').value = path;
    $('undo').hidden = !(state.files.has(path) && built_in.has(path));
    mark_description();
  }
  function description_changed() {
    const text = description.text;
    if (built_in.get(state.file) === text) state.files.delete(state.file); else state.files.set(state.file, text);
    $('undo').hidden = !(state.files.has(state.file) && built_in.has(state.file));
    soon(load);
  }

  // As soon as nothing is under way, and once for all edits meanwhile.
  let wanted = null, busy = false, edited_at = 0;
  async function soon(what) {
    edited_at = performance.now();
    if (wanted !== load) wanted = what;
    if (busy) return;
    busy = true;
    while (wanted) {
      const now = engine.dead ? load : wanted;
      wanted = null;
      if (engine.dead) { engine.end(); engine = new Worker_(...engine_parts); }
      try { await pause_run(); await now(); } catch (problem) { outcome(String(problem), true); }
    }
    busy = false;
    document.documentElement.dataset.answered = (+document.documentElement.dataset.answered || 0) + 1;
  }

  function choose_set(name, kept = {}) {
    state.set = name;
    state.main = main_of(name);
    state.variant = name;
    state.files = new Map(Object.entries(kept));
    const text = built_in.get(state.main) || '';
    if (!/^variants /m.test(text)) state.variant = '';
    state.file = '';
    show_files();
    open_file(state.main);
    $('sets').value = name;
  }
  function choose_description(path, files) {
    state.set = '';
    state.main = path;
    state.variant = '';
    state.files = new Map(Object.entries(files));
    state.file = '';
    show_files();
    open_file(path);
    $('sets').value = '';
  }

  // --- the program

  function disable() {
    state.rows = [];
    state.machine = null;
    draw_code();
    draw_state();
    outcome('There is nothing to run: the description has errors.', true);
  }
  async function assemble() {
    const group = groups[state.program.group];
    const given = await engine.ask({do: 'assemble', name: state.program.file || 'program.s', text: program.text,
                                    files: group ? group.includes : {}, defines: state.program.defines || []});
    if (given.failure) { outcome(given.failure, true); return; }
    const mine = `program/${state.program.file || 'program.s'}`, messages = given.messages;
    program.messages = marks_in(messages, mine);
    list_messages($('program-messages'), messages, place => place.file === mine && program.go(place.from, place.to));
    state.rows = given.rows || [];
    state.by_line = new Map();
    state.by_address = new Map();
    state.rows.forEach((row, i) => {
      if (row[3] && !state.by_line.has(row[3])) state.by_line.set(row[3], i);
      state.by_address.set(row[0], i);
    });
    const bytes = state.rows.reduce((sum, row) => sum + row[1].length / 2, 0);
    tell('program', messages, given.good ? `${state.rows.length} instructions, ${bytes} bytes` : '');
    $('program-state').dataset.milliseconds = given.milliseconds;
    lay_out_code();
    document.documentElement.dataset.took = performance.now() - edited_at;
    if (given.good) {
      await start();
    } else {
      state.machine = null;
      draw_state();
      outcome('What could be assembled: the program has errors.', true);
    }
    program.draw();
    await show_bits();
  }

  // --- instructions: only the rows that are in sight are there

  let places = [], code_height = 19;
  function lay_out_code() {
    places = [];
    $('code').style.setProperty('--raw', `${Math.max(8, ...state.rows.map(row => row[1].length))}ch`);
    state.rows.forEach((row, i) => {
      if (row[4]) places.push({label: row[4]});
      places.push({row: i});
    });
    draw_code();
  }
  function draw_code() {
    const pane = $('code'), top = Math.max(0, Math.floor(pane.scrollTop / code_height) - 5);
    const end = Math.min(places.length, top + Math.ceil(pane.clientHeight / code_height) + 12);
    const now = state.machine ? state.by_address.get(state.machine.pc) : undefined, parts = [];
    const rest = el('div');
    rest.style.cssText = `height:${places.length * code_height + 4}px;width:1px`;
    parts.push(rest);
    for (let i = top; i < end; ++i) {
      const {label, row} = places[i];
      let made;
      if (label) {
        made = el('div', {className: 'row label', textContent: `${label}:`});
      } else {
        const [address, bytes, text, line] = state.rows[row];
        made = el('div', {className: 'row'}, el('span', {className: 'dot', textContent: breaks.has(address) ? '●' : ''}),
                  el('span', {className: 'at', textContent: address.padStart(4, '0')}),
                  el('span', {className: 'raw', textContent: bytes}), el('span', {textContent: text}));
        made.dataset.row = row;
        if (row === now) made.classList.add('now');
        if (line && line === program.at) made.classList.add('of-line');
      }
      made.style.top = `${i * code_height}px`;
      parts.push(made);
    }
    pane.replaceChildren(...parts);
  }
  function show_row(row) {
    const at = places.findIndex(place => place.row === row), pane = $('code'), top = at * code_height;
    if (at >= 0 && (top < pane.scrollTop || top + 2 * code_height > pane.scrollTop + pane.clientHeight))
      pane.scrollTop = Math.max(0, top - pane.clientHeight / 2);
  }

  // --- bits

  let shown_bits = '';
  async function show_bits(row = state.by_line.get(program.at) ?? (state.rows.length ? 0 : undefined), hex = null) {
    const [address, bytes] = hex !== null ? ['0', hex] : row === undefined ? ['0', ''] : state.rows[row];
    if (hex === null) $('hex').value = bytes;
    shown_bits = address + bytes;
    if (!bytes) { $('bits').replaceChildren(); return; }
    const given = await engine.ask({do: 'word', bytes, address});
    if (shown_bits !== address + bytes) return;
    if (given.failure) { $('bits').replaceChildren(el('p', {className: 'nothing', textContent: given.failure})); return; }
    const picture = el('div', {className: 'scroll', innerHTML: given.svg, tabIndex: 0});
    picture.setAttribute('role', 'region');
    picture.setAttribute('aria-label', 'Picture of the bits');
    const digits = (bits, value) => bits <= 16 ? parseInt(value, 16).toString(2).padStart(bits, '0') : '';
    const rows = given.fields.map(([name, bits, value]) =>
      el('tr', {}, el('th', {scope: 'row', textContent: name}), el('td', {textContent: digits(bits, value)}),
         el('td', {textContent: `0x${value}`})));
    const about = [given.title, given.format && `format ${given.format}`, `${given.bits} bits`].filter(Boolean).join(', ');
    $('bits').replaceChildren(el('p', {className: 'syntax'}, el('code', {textContent: given.text})), picture,
        el('p', {className: 'note', textContent: about}),
        el('table', {}, el('tbody', {}, ...rows)));
    if (hex === null || bytes.length <= given.bits / 4) return;
    const all = await engine.ask({do: 'disassemble', bytes});
    if (shown_bits === address + bytes) $('bits').append(el('pre', {textContent: all.text, tabIndex: 0}));
  }

  // --- the map

  let map_width = 0, map_timer = 0;
  function draw_map_soon() {
    clearTimeout(map_timer);
    map_timer = setTimeout(draw_map, 250);
  }
  async function draw_map() {
    const pane = $('map'), about = state.about;
    if (!pane.clientWidth) return;
    map_width ||= Math.max(700, pane.clientWidth - 24);
    const given = await engine.ask({do: 'map', width: map_width});
    if (about !== state.about) return;
    if (given.svg) pane.innerHTML = given.svg; else pane.textContent = given.failure;
  }

  // --- the machine

  const breaks = new Set();   // addresses
  const formats = ['xrgb8888', 'rgb888', 'rgb565', 'gray8'];
  function wanted_picture() {
    const found = /^([0-9a-f]+):(\d+)x(\d+):(\w+)$/i.exec($('picture-place').value.trim().replace(/^0x/i, ''));
    if (!found || formats.indexOf(found[4]) < 0 || !state.machine) return null;
    return {memory: state.machine.main, address: parseInt(found[1], 16), width: +found[2], height: +found[3],
            format: formats.indexOf(found[4])};
  }
  async function start() {
    $('output').textContent = '';
    state.before = null;
    state.memory_before = '';
    const {memory, harts, storage} = state.program;
    breaks.clear();
    for (const line of program.breakpoints) if (state.by_line.has(line)) breaks.add(state.rows[state.by_line.get(line)][0]);
    const given = await engine.ask({do: 'start', memory: memory || 16 << 20, harts: harts || 1, storage: storage || [],
                                    input: $('input').value, breakpoints: [...breaks]});
    if (given.failure) { state.machine = null; outcome(given.failure, true); draw_state(); return; }
    state.machine = given;
    state.ended = false;
    const ready = state.about.objects ? 'Ready to run, as a program: kernels are not launched here.' : 'Ready to run.';
    outcome(state.rows.length ? ready : 'The program is empty.');
    draw_state();
    await look();
  }
  async function look() { draw_picture((await engine.ask({do: 'picture', picture: wanted_picture()})).picture); }
  function draw_picture(picture) {
    const canvas = $('picture');
    if (!picture) { canvas.width = canvas.height = 1; return; }
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.style.width = `${picture.width * Math.max(1, Math.floor(280 / picture.width))}px`;
    canvas.getContext('2d').putImageData(new ImageData(picture.bytes, picture.width, picture.height), 0, 0);
  }
  function draw_state() {
    const machine = state.machine;
    $('registers').replaceChildren();
    const cycles = machine && machine.cycles ? `, ${machine.cycles.toLocaleString('en')} cycles` : '';
    $('pc').textContent =
      machine ? `pc ${machine.pc}, ${machine.instructions.toLocaleString('en')} instructions${cycles}` : '';
    program.now = machine ? (state.rows[state.by_address.get(machine.pc)] || [])[3] || 0 : 0;
    if (!machine) { $('memory').textContent = ''; draw_code(); program.draw(); buttons(); return; }
    // Files of many registers have a heading each; those of one stand together behind them.
    const parts = [], longest = texts => Math.max(...texts.map(text => text.length));
    const groups_of = [...machine.registers.keys()].filter(f => machine.registers[f].names.length > 1).map(f => [f]);
    groups_of.push([...machine.registers.keys()].filter(f => machine.registers[f].names.length === 1));
    for (const group of groups_of.filter(group => group.length)) {
      const list = el('dl'), files = group.map(f => machine.registers[f]);
      const wide = longest(files.flatMap(file => file.names)) + Math.min(40, longest(files.flatMap(file => file.values))) + 2;
      list.style.setProperty('--wide', `${wide}ch`);
      for (const f of group) {
        const file = machine.registers[f], before = state.before && state.before[f];
        file.names.forEach((name, i) => {
          const value = file.values[i], one = el('div', {}, el('dt', {textContent: name}), el('dd', {textContent: value}));
          const changed = before && before.values[i] !== value;
          one.className = changed ? 'changed' : /^[0:]*$/.test(value) ? 'zero' : '';
          if (changed) one.title = `was ${before.values[i]}`;
          list.append(one);
        });
      }
      if (groups_of.length > 1) parts.push(el('h3', {textContent: files.length > 1 ? 'others' : files[0].file}));
      parts.push(list);
    }
    if (machine.pending.length) {
      parts.unshift(el('h3', {textContent: 'on their way'}), el('dl', {}, ...machine.pending.map(([target, value, after]) =>
          el('div', {}, el('dt', {textContent: target}), el('dd', {textContent: `${value} after ${after}`})))));
    }
    $('registers').replaceChildren(...parts);
    state.before = machine.registers;
    draw_code();
    program.draw();
    draw_memory();
    buttons();
  }
  async function draw_memory() {
    const which = +$('memory-which').value || 0, from = parseInt($('memory-from').value.replace(/^0x/i, ''), 16) || 0;
    const given = await engine.ask({do: 'memory', memory: which, address: from.toString(16), length: 512});
    if (given.failure) { $('memory').textContent = given.failure; return; }
    const {bytes} = given, unit = state.about.memories[which].unit, key = `${which} ${from} `;
    const before = state.memory_before.startsWith(key) ? state.memory_before.slice(key.length) : bytes;
    const lines = [], wide = $('memory').clientWidth < 480 ? 8 : 16;
    for (let at = 0; at < bytes.length; at += 2 * wide) {
      lines.push(el('i', {textContent: `${(from + at / 2 / unit).toString(16).padStart(6, '0')}  `}));
      let text = '';
      for (let i = at; i < at + 2 * wide && i < bytes.length; i += 2) {
        const byte = bytes.slice(i, i + 2), code = parseInt(byte, 16), between = (i - at) % 8 === 6 ? '  ' : ' ';
        lines.push(byte === before.slice(i, i + 2) ? byte : el('b', {textContent: byte}), between);
        text += code >= 32 && code < 127 ? String.fromCharCode(code) : '·';
      }
      lines.push(el('i', {textContent: text}), '\n');
    }
    $('memory').replaceChildren(...lines);
    state.memory_before = key + bytes;
  }
  function buttons() {
    const ready = Boolean(state.machine && state.rows.length);
    $('run').disabled = $('step').disabled = !ready || state.running || state.ended;
    $('reset').disabled = !ready || state.running;
    $('pause').disabled = !state.running;
  }
  function wrote(text) {
    if (!text) return;
    const pane = $('output');
    pane.append(text);
    if (pane.textContent.length > 200000) pane.textContent = pane.textContent.slice(-100000);
    pane.scrollTop = pane.scrollHeight;
  }
  function progress(now) {
    wrote(now.output);
    outcome(`Running: ${now.instructions.toLocaleString('en')} instructions …`);
    if (now.picture) draw_picture(now.picture);
  }
  let run_done = null;
  async function pause_run() {
    if (!state.running) return;
    engine.pause();
    await run_done;
  }
  async function ended(given, began) {
    if (given.failure) { outcome(given.failure, true); buttons(); return; }
    state.machine = given;
    wrote(given.output);
    const count = `${given.instructions.toLocaleString('en')} instructions`;
    const seconds = began ? `, ${((performance.now() - began) / 1000).toFixed(2)} s` : '';
    state.ended = given.reason === 'stopped' || given.reason === 'waiting';
    const is_bad = given.reason === 'fault', has_status = given.exit !== undefined;
    const words = {stopped: has_status ? `The program has ended with status ${given.exit}` : 'The program has stopped',
                   breakpoint: 'At a breakpoint', paused: 'Stopped by you', waiting: 'Everything waits', running: 'Stepped'};
    const trace = given.trace ? `\n${given.trace}` : '';
    outcome(is_bad ? given.message : `${words[given.reason]}: ${count}${seconds}.${trace}`, is_bad);
    draw_state();
    const now = state.by_address.get(given.pc);
    if (now !== undefined) show_row(now);
    if (program.now) program.show_line(program.now);
  }
  async function run() {
    if ($('run').disabled) return;
    const began = performance.now();
    state.running = true;
    buttons();
    outcome('Running …');
    let finish;
    run_done = new Promise(done => { finish = done; });
    const given = await engine.ask({do: 'go', picture: wanted_picture()});
    state.running = false;
    await ended(given, began);
    if (given.picture || !wanted_picture()) draw_picture(given.picture);
    finish();
  }
  async function step() {
    if ($('step').disabled) return;
    const given = await engine.ask({do: 'step', count: 1});
    await ended(given, 0);
    await look();
  }
  function flip_break(row) {
    if (row === undefined || !state.machine) return;
    const [address, , , line] = state.rows[row], on = !breaks.has(address);
    if (on) breaks.add(address); else breaks.delete(address);
    if (state.by_line.get(line) === row) { if (on) program.breakpoints.add(line); else program.breakpoints.delete(line); }
    engine.ask({do: 'break', address, on});
    program.draw();
    draw_code();
  }

  // --- examples and links

  function choose_example(group, number) {
    const from = groups[group], chosen = from.programs[number];
    if (from.set) { if (state.set !== from.set || state.files.size) choose_set(from.set); }
    else choose_description(from.description, {[from.description]: from.text});
    open_program({...chosen, group}, chosen.text);
    $('examples').value = `${group}/${number}`;
    soon(load);
  }
  function open_program(about, text) {
    state.program = about;
    $('program-name').textContent = about.file;
    program.text = text;
    $('input').value = about.input || '';
    $('picture-place').value = about.picture || '';
  }
  function example_for(set) {
    const at = groups.findIndex(group => group.set === set || (group.set && group.set.slice(0, 4) === set.slice(0, 4)));
    return at;
  }
  async function share() {
    const {file, group, memory, harts, storage} = state.program;
    const kept = {set: state.set, main: state.main, files: Object.fromEntries(state.files), text: program.text,
                  input: $('input').value, picture: $('picture-place').value, about: {file, group, memory, harts, storage}};
    const bytes = await through(new TextEncoder().encode(JSON.stringify(kept)), new CompressionStream('deflate-raw'));
    let raw = '';
    for (const byte of bytes) raw += String.fromCharCode(byte);
    const text = btoa(raw).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
    if (text.length > most_shared) { say('That is too much for a link.'); return; }
    history.replaceState(null, '', `#${text}`);
    let copied = false;
    try { await navigator.clipboard.writeText(location.href); copied = true; } catch (refused) {}
    const box = el('input', {readOnly: true, value: location.href});
    box.setAttribute('aria-label', 'The link');
    say(`${copied ? 'The link is copied' : 'This is the link'}: all is in it, and nothing has left this browser.`, box);
    if (!copied) box.select();
  }
  async function open_shared(fragment) {
    if (fragment.length > most_shared || !/^[\w-]+$/.test(fragment)) throw new Error('no link of this page');
    const bytes = bytes_of(fragment.replace(/-/g, '+').replace(/_/g, '/'));
    const kept = JSON.parse(text_of(await through(bytes, new DecompressionStream('deflate-raw'), most_unpacked)));
    const text = value => typeof value === 'string' ? value : '';
    const files = Object.fromEntries(Object.entries(kept.files || {}).filter(([, value]) => typeof value === 'string'));
    if (sets.some(set => set.name === kept.set)) choose_set(kept.set, files);
    else if (typeof files[kept.main] === 'string') choose_description(kept.main, files);
    else throw new Error('no link of this page');
    const about = kept.about || {};
    const number = (value, most) => Number.isInteger(value) && value > 0 && value <= most ? value : undefined;
    const stretches = Array.isArray(about.storage) ? about.storage.slice(0, 8) : [];
    open_program({file: text(about.file).replace(/[^\w.-]/g, '') || 'program.s',
                  group: number(about.group + 1, groups.length) - 1,
                  memory: number(about.memory, 1 << 28), harts: number(about.harts, 64),
                  storage: stretches.filter(s => Array.isArray(s) && number(s[0], 2 ** 53) && number(s[1], 1 << 28)),
                  input: text(kept.input), picture: text(kept.picture)}, text(kept.text));
    $('examples').value = '';
    soon(load);
  }

  // --- all together

  async function begin() {
    const code = Promise.all([packed('engine-text'), packed('engine-wasm'), packed('examples-data')]);
    const [script, wasm, examples] = await code;
    engine_parts = [`${text_of(script)}\n${$('worker-text').textContent}`, wasm];
    engine = new Worker_(...engine_parts);
    groups = JSON.parse(text_of(examples));
    const given = await engine.ask({do: 'list'});
    sets = given.sets;
    built_in = new Map(given.files.map(file => [file.path, file.text]));
    $('sets').append(...sets.map(set => el('option', {value: set.name, textContent: set.name, title: set.title})),
                     el('option', {value: '', textContent: 'another one', hidden: true}));
    groups.forEach((group, g) => {
      const list = el('optgroup', {label: group.set || group.folder});
      group.programs.forEach((one, n) => list.append(el('option', {value: `${g}/${n}`, textContent: one.title})));
      $('examples').append(list);
    });
    $('examples').append(el('option', {value: '', textContent: 'my own', hidden: true}));
    try {
      if (location.hash.length > 1) await open_shared(location.hash.slice(1)); else choose_example(0, 0);
    } catch (problem) {
      choose_example(0, 0);
      say('That link holds nothing that this page can open.');
    }
  }

  description = new Editor($('description'), 'The description', description_changed);
  const program_changed = () => { $('examples').value = ''; soon(assemble); };
  program = new Editor($('program'), 'The program', program_changed, line => flip_break(state.by_line.get(line)));
  program.onmove = () => {
    const row = state.by_line.get(program.at);
    draw_code();
    if (row === undefined || !engine) return;
    show_row(row);
    show_bits(row);
  };
  $('description-file').onchange = event => open_file(event.target.value);
  $('undo').onclick = () => {
    const file = state.file;
    state.files.delete(file);
    state.file = '';
    open_file(file);
    soon(load);
  };
  $('sets').onchange = event => {
    const name = event.target.value, group = groups[state.program.group];
    choose_set(name);
    const other = example_for(name);
    if (other < 0) {
      open_program({file: 'program.s'}, '');
    } else if (!group || other !== state.program.group) {
      const first = groups[other].programs[0];
      open_program({...first, group: other}, first.text);
      $('examples').value = `${other}/0`;
    }
    soon(load);
  };
  $('examples').onchange = event => { const [group, number] = event.target.value.split('/'); choose_example(+group, +number); };
  $('share').onclick = share;
  $('theme').onclick = () => {
    const root = document.documentElement.dataset, is_dark = matchMedia('(prefers-color-scheme: dark)').matches;
    root.theme = (root.theme || (is_dark ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('isaforge-theme', root.theme); } catch (refused) {}
  };
  $('run').onclick = run;
  $('pause').onclick = () => engine.pause();
  $('step').onclick = step;
  $('reset').onclick = () => soon(start);
  $('input').onchange = () => soon(start);
  $('picture-place').onchange = look;
  $('memory-which').onchange = $('memory-from').onchange = draw_memory;
  $('hex').onchange = event => show_bits(undefined, event.target.value.replace(/[^0-9a-f]/gi, ''));
  $('wider').onclick = () => { map_width = Math.min(4000, map_width * 1.4); draw_map(); };
  $('narrower').onclick = () => { map_width = Math.max(300, map_width / 1.4); draw_map(); };
  $('code').onscroll = draw_code;
  $('code').onclick = event => {
    const row = event.target.closest('.row')?.dataset.row;
    if (row === undefined) return;
    const line = state.rows[row][3];
    if (event.target.closest('.dot, .at')) { flip_break(+row); return; }
    if (line) {
      program.area.setSelectionRange(program.starts[line - 1], program.starts[line - 1]);
      program.show_line(line);
      program.moved();
    }
    show_bits(+row);
  };
  addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    if (event.key === 'F10') { event.preventDefault(); step(); }
    if (event.key === 'F9') { event.preventDefault(); flip_break(state.by_line.get(program.at)); }
    if (event.key === 'Escape' && state.running) engine.pause();
  });
  addEventListener('resize', () => { draw_code(); if (state.machine) draw_memory(); });
  return {begin};
})();
