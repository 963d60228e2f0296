// The report page: puts the parts together.
import {category, gradient, type Scale} from './colours.ts';
import {type About, blockText, type Frame, Store, unpackJson, unpackText, type Vec} from './data.ts';
import type {ForceMode} from './forces.ts';
import {Feed, type News, partsOf} from './live.ts';
import {isObject, type JsonObject, make, numberOf, showCase, showRun, showStages, type Stage, stagesOf, textOf, wishesOf} from './panels.ts';
import {Player} from './player.ts';
import {Plots, Table} from './plots.ts';
import type {Ends} from './ranges.ts';
import {duration, niceBelow, number, prefixed, quantity, whole} from './units.ts';
import {type ColourMode, View} from './view.ts';

const by = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const wantsDark = matchMedia('(prefers-color-scheme: dark)');

const icons = {
  play: '<path d="M8 5.5v13l11-6.5z"/>',
  pause: '<path d="M8 5.5v13M16 5.5v13" stroke-width="3.4"/>',
};
/** Only for the constants above. */
function setIcon(button: HTMLElement, icon: keyof typeof icons, text: string): void {
  if (button.dataset.icon === icon) return;
  button.dataset.icon = icon;
  button.innerHTML = `<svg viewBox="0 0 24 24">${icons[icon]}</svg>`;
  button.setAttribute('aria-label', text);
  button.title = `${text} (space)`;
}

function say(title: string, text: string): void {
  by('message').replaceChildren(make('b', '', title), make('span', '', text));
  by('message').hidden = false;
}

function parseRun(text: string | null): {run: JsonObject | null; why: string | null} {
  if (text === null) return {run: null, why: null};
  try {
    const run = JSON.parse(text);
    return isObject(run) ? {run, why: null} : {run: null, why: 'run.json holds no object.'};
  } catch (e) {
    return {run: null, why: `run.json cannot be read: ${(e as Error).message}`};
  }
}

function showVerdict(run: JsonObject | null): void {
  const v = isObject(run?.verdict) ? run.verdict : null;
  const status = textOf(v?.status) ?? textOf(run?.verdict) ?? '';
  const known: Record<string, [string, string]> = {
    finished: ['Finished', 'good'], stopped: ['Stopped early', 'warn'], interrupted: ['Interrupted', 'warn'], running: ['Still running', 'warn'], failed: ['Failed', 'bad'],
  };
  const [text, kind] = known[status] ?? (status ? [status, 'warn'] : ['No verdict', 'warn']);
  const pill = by('verdict');
  pill.textContent = text;
  pill.className = `pill ${kind}`;
  pill.hidden = false;
  const reason = textOf(v?.reason);
  by('reason').textContent = reason;
  by('reason').className = `reason ${kind}`;
  by('reason').hidden = !reason || kind === 'good';
}

function isRunning(run: JsonObject | null): boolean {
  return run === null || (isObject(run.verdict) && run.verdict.status === 'running');
}

function showFacts(run: JsonObject | null, store: Store | null, end: number): void {
  const facts: [string, string][] = [];
  // run.json is as old as the last checkpoint while the run goes on.
  const newest = store?.header.frames[store.frames - 1];
  const particles = (isRunning(run) ? newest?.n : null) ?? numberOf(run?.particles) ?? store?.header.particles ?? null;
  if (particles !== null) facts.push(['grains', whole(particles)]);
  if (end > 0) facts.push(['simulated', quantity(end, 's')]);
  const steps = Math.max(numberOf(run?.steps) ?? -1, newest?.step ?? -1);
  if (steps >= 0) facts.push(['steps', whole(steps)]);
  const seconds = numberOf(run?.seconds);
  if (seconds !== null && !isRunning(run)) facts.push(['took', duration(seconds)]);
  by('facts').replaceChildren(...facts.map(([k, v]) => make('div', '', make('dt', '', k), make('dd', '', v))));
}

function setUpTabs(onShow: (id: string) => void): void {
  const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const open = (tab: HTMLButtonElement) => {
    for (const t of tabs) {
      const on = t === tab;
      t.setAttribute('aria-selected', String(on));
      t.tabIndex = on ? 0 : -1;
      by(t.getAttribute('aria-controls')!).hidden = !on;
    }
    onShow(tab.id);
  };
  tabs.forEach((t, i) => {
    t.onclick = () => open(t);
    t.onkeydown = (e) => {
      const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      e.stopPropagation();
      const next = tabs[(i + step + tabs.length) % tabs.length];
      open(next);
      next.focus();
    };
  });
}

/** Against gravity, read off the case; z where it says nothing. */
function upOf(text: string | null): Vec {
  const m = /^gravity:\s*\[([^\]]*)\]/m.exec(text ?? '');
  const g = m?.[1].split(',').map((t) => parseFloat(t)) ?? [];
  const l = Math.hypot(...g);
  return g.length === 3 && l > 0 ? (g.map((v) => -v / l || 0) as Vec) : [0, 0, 1];
}

/** Names under a key of the case, in its order. */
function namesUnder(key: string, text: string | null): string[] {
  const block =
    new RegExp(`^${key}:[ \\t]*(?:#.*)?\\n((?:[ \\t]+.*\\n?|[ \\t]*\\n)*)`, 'm').exec(text ?? '')?.[1] ?? '';
  const indent = /^([ \t]+)[^\s#]/m.exec(block)?.[1];
  if (!indent) return [];
  return block.split('\n').map((l) => /^([ \t]+)([^\s:#]+):/.exec(l)).filter((m) => m?.[1] === indent).map((m) => m![2]);
}

interface Shared {
  store: Store;
  view: View;
  player: Player;
  materials: string[];
}

function ramp(into: HTMLElement, title: string, unit: string, scale: Scale, ticks: string[]): void {
  const bar = make('div', 'ramp');
  bar.style.background = gradient(scale);
  into.replaceChildren(make('h2', '', title, make('span', '', unit)), bar, make('div', 'ticks', ...ticks.map((t) => make('span', '', t))));
}

function swatches(into: HTMLElement, title: string, names: string[], counts: number[]): void {
  const list = make('ul', 'swatches');
  names.forEach((name, i) => {
    if (!counts[i]) return;
    const dot = make('i');
    dot.style.background = category(i);
    list.append(make('li', '', dot, make('span', '', name), make('b', '', whole(counts[i]))));
  });
  into.replaceChildren(make('h2', '', title), list);
}

function countsOf(values: Uint16Array): number[] {
  const counts: number[] = [];
  for (const v of values) counts[v] = (counts[v] ?? 0) + 1;
  return counts;
}

/** Labels of a scale of square roots or logarithms. */
function ticks({low, high, most}: Ends, scale: number): string[] {
  return [low, low > 0 ? Math.sqrt(low * high) : high / 4, high].map(
    (v, i) => (i === 2 && high < most ? '≥ ' : i === 0 && low > 0 ? '≤ ' : '') + number(v * scale, 3),
  );
}

function showLegend({store, view, materials}: Shared): void {
  const box = by('legend');
  box.dataset.mode = view.colour;
  const {header, particles} = store;
  const [lo, hi] = view.scaleRange.size;
  const length = hi >= 1 ? [1, 'm'] : hi >= 0.01 ? [100, 'cm'] : hi >= 1e-4 ? [1000, 'mm'] : [1e6, 'µm'];
  switch (view.colour) {
    case 'speed': {
      const ends = view.speeds.ends(view.frameNow);
      const {scale, unit} = prefixed(ends.high, 'm/s');
      ramp(box, view.speeds.ofFrame ? 'Speed, this frame' : 'Speed', unit, 'speed', ticks(ends, scale));
      break;
    }
    case 'size': ramp(box, 'Size', length[1] as string, 'size', (lo < hi ? [lo, (lo + hi) / 2, hi] : [lo]).map((v) => number(v * (length[0] as number), 3))); break;
    case 'id': {
      const ids = particles.id;
      ramp(box, 'Id', '', 'id', ids.length > 0 ? [whole(ids[0]), whole(ids[ids.length - 1])] : []);
      break;
    }
    case 'fragment': box.replaceChildren(make('h2', '', 'Fragment', make('span', '', 'a colour each'))); break;
    case 'shape': swatches(box, 'Shape', header.shapes.map((s) => s.name), countsOf(particles.shape)); break;
    case 'material': {
      const counts = countsOf(particles.material);
      swatches(box, 'Material', counts.map((_, i) => materials[i] ?? `material ${i + 1}`), counts);
      break;
    }
  }
}

function showForceLegend({view}: Shared): void {
  const box = by('force-legend');
  const {mode, range, drawn} = view.forces;
  box.hidden = mode === 'off';
  const colours = view.dark ? 'forceDark' : 'forceLight';
  if (mode === 'bonds') ramp(box, 'Bonds: damage', '', colours, ['0', '0.5', '1']);
  if (mode !== 'network' && mode !== 'vectors') return;
  const ends = range.ends(view.frameNow);
  const {scale, unit} = prefixed(ends.high, 'N');
  ramp(box, range.ofFrame ? 'Contact force, this frame' : 'Contact force', unit, colours, ticks(ends, scale));
  const {least, length} = view.forces.limits(view.frameNow);
  const total = view.frameNow?.row.contacts ?? 0;
  if (least > 0) box.append(make('p', '', `from ${quantity(least, 'N')}: ${whole(drawn)} of ${whole(total)}`));
  if (mode === 'vectors') box.append(make('p', '', `${quantity(length, 'm')} long: ${quantity(ends.high, 'N')}`));
}

function showCard({store, view, player, materials}: Shared): void {
  const card = by('card');
  const row = view.selected;
  card.hidden = row < 0;
  if (row < 0) return;
  const {header, particles} = store;
  const frame = store.peek(player.index);
  const i = frame ? store.find(frame, row) : -1;
  const facts: [string, string][] = [
    ['shape', header.shapes[particles.shape[row]]?.name ?? '?'],
    ['size', quantity(particles.size[row], 'm')],
    ['material', materials[particles.material[row]] ?? `${particles.material[row] + 1}`],
  ];
  if (frame && i >= 0) {
    const p = [0, 0, 0];
    store.place(frame, i, p);
    facts.push(['speed', quantity(store.speed(frame, i), 'm/s', 2)], ['position', p.map((v) => number(v, 3)).join(', ') + ' m']);
    let count = 0;
    let strongest = 0;
    const code = row + frame.scales.walls;
    for (let c = 0; c < frame.contactA.length; ++c) {
      if (frame.contactA[c] !== row && frame.contactB[c] !== code) continue;
      ++count;
      strongest = Math.max(strongest, store.contactForce(frame, c));
    }
    const {contacts, contacts_total: total} = frame.row;
    if (total > 0) facts.push([contacts < total ? 'strong contacts' : 'contacts', String(count)]);
    if (count > 0) facts.push(['strongest force', quantity(strongest, 'N')]);
  } else if (frame) {
    facts.push(['', 'not there at this time']);
  }
  const close = make('button', 'icon', '×');
  close.type = 'button';
  close.setAttribute('aria-label', 'Close');
  close.onclick = () => {
    view.select(-1);
    card.hidden = true;
  };
  card.replaceChildren(make('h2', '', `Grain ${particles.id[row]}`, close), make('dl', '', ...facts.flatMap(([k, v]) => [make('dt', '', k), make('dd', '', v)])));
}

function showCorner(view: View): void {
  const px = view.pixelsPerMetre();
  const metres = niceBelow(120 / px);
  by('scale-bar').style.width = `${(metres * px).toFixed(1)}px`;
  by('scale-text').textContent = quantity(metres, 'm');
  const svg = by('axes') as unknown as SVGElement;
  const names = ['x', 'y', 'z'];
  const colours = ['var(--c1)', 'var(--c4)', 'var(--c3)'];
  if (svg.childElementCount === 0) {
    names.forEach((name, i) => {
      for (const tag of ['line', 'text']) {
        const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
        e.setAttribute(tag === 'line' ? 'stroke' : 'fill', colours[i]);
        if (tag === 'line') e.setAttribute('stroke-width', '2'), e.setAttribute('stroke-linecap', 'round');
        else e.textContent = name;
        svg.append(e);
      }
    });
  }
  view.axesOnScreen().forEach(([x, y], i) => {
    const line = svg.children[2 * i];
    const text = svg.children[2 * i + 1];
    line.setAttribute('x2', (20 * x).toFixed(1)), line.setAttribute('y2', (-20 * y).toFixed(1));
    text.setAttribute('x', (27 * x).toFixed(1)), text.setAttribute('y', (-27 * y).toFixed(1));
  });
}

/** What grains may be coloured by and which forces drawn, for what the frames hold. */
function offer({view, store}: Shared, grows: boolean): void {
  const {particles, header} = store;
  const modes: [ColourMode, boolean][] = [
    ['speed', header.speed > 0 || grows], ['size', true], ['shape', true], ['material', particles.material.some((m) => m !== particles.material[0])], ['id', true],
    ['fragment', header.fragments],
  ];
  const colour = by<HTMLSelectElement>('colour');
  const offered = modes.filter(([, on]) => on).map(([m]) => m);
  if (offered.join() !== [...colour.options].map((o) => o.value).join())
    colour.replaceChildren(...offered.map((m) => new Option(m, m)));
  colour.value = view.colour;
  const forces = by<HTMLSelectElement>('forces');
  const any = header.frames.some((f) => f.contacts > 0);
  if (forces.options.length < 4 && header.frames.some((f) => (f.bonds ?? 0) > 0)) forces.append(new Option('bonds', 'bonds'));
  forces.disabled = !any && forces.options.length < 4;
  forces.title = forces.disabled ? 'The frames hold no contacts' : '';
}

function setUpTools(shared: Shared): void {
  const {view} = shared;
  const [colour, forces] = [by<HTMLSelectElement>('colour'), by<HTMLSelectElement>('forces')];
  // What has no use now is not offered.
  const settle = () => {
    const contacts = ['network', 'vectors'].includes(forces.value);
    by('range-field').hidden = colour.value !== 'speed' && !contacts;
    by('least-field').hidden = !contacts;
    by('length-field').hidden = forces.value !== 'vectors';
    showLegend(shared);
    showForceLegend(shared);
  };
  colour.onchange = () => {
    view.setColour(colour.value as ColourMode);
    settle();
  };
  const range = by<HTMLSelectElement>('range');
  range.onchange = () => {
    view.setRange(range.value.startsWith('frame'), range.value.endsWith('log'));
    settle();
  };
  const [least, stretch] = [by<HTMLInputElement>('least'), by<HTMLInputElement>('length')];
  least.oninput = stretch.oninput = () => {
    view.limitForces(Number(least.value), 10 ** Number(stretch.value));
    showForceLegend(shared);
  };
  forces.onchange = () => {
    view.setForces(forces.value as ForceMode);
    settle();
  };
  const toggle = (id: string, set: (on: boolean) => void) => {
    const b = by(id);
    b.onclick = () => {
      const on = b.getAttribute('aria-pressed') !== 'true';
      b.setAttribute('aria-pressed', String(on));
      set(on);
    };
  };
  toggle('walls', (on) => view.setWalls(on));
  toggle('edges', (on) => view.setEdges(on));
  toggle('shadows', (on) => view.setShadows(on));
  toggle('smooth', (on) => {
    view.interpolate = on;
    void shared.player.seek(shared.player.time);
  });
  toggle('loop', (on) => (shared.player.loop = on));
  const expand = (button: string, box: string) => {
    by(button).onclick = () => {
      by(box).hidden = !by(box).hidden;
      by(button).setAttribute('aria-expanded', String(!by(box).hidden));
    };
  };
  expand('options', 'tools');
  expand('help', 'keys');
  by('reset').onclick = () => view.reset();
  if (innerWidth < 700 || innerHeight < 600) by('options').setAttribute('aria-expanded', 'false');
  else by('tools').hidden = false;
  for (const id of ['legend', 'corner', 'view-buttons', 'transport']) by(id).hidden = false;
  settle();
  by('start').hidden = shared.player.end <= shared.player.begin;
  const keys: [string[], string][] = [
    [['space'], 'play, pause'], [['←', '→'], 'one frame'], [['⇧ ←', '⇧ →'], 'ten frames'], [['Home', 'End'], 'first, last'], [['C'], 'next colouring'],
    [['F'], 'contact forces'], [['W', 'E', 'S'], 'walls, edges, shadows'], [['I'], 'smooth motion'], [['L'], 'repeat'], [['R'], 'reset the view'], [['?'], 'these keys'],
  ];
  by('keys').append(make('dl', '', ...keys.flatMap(([k, v]) => [make('dt', '', ...k.flatMap((t) => [make('kbd', '', t), ' '])), make('dd', '', v)])));
}

/** What hangs on how long the run is. */
function showSpan({player, store}: Shared, stages: Stage[]): void {
  const scrub = by<HTMLInputElement>('scrub');
  scrub.min = String(player.begin);
  scrub.max = String(player.end);
  const span = player.end - player.begin;
  const rates = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
  const wanted = span / 12;
  const rate = by<HTMLSelectElement>('rate');
  if (!rate.dataset.chosen)
    player.rate = rates.reduce((best, r) => (Math.abs(Math.log(r / wanted)) < Math.abs(Math.log(best / wanted)) ? r : best), 1);
  const some = rates.filter((r) => r === player.rate || (span / r < 2000 && span / r > 0.2));
  rate.replaceChildren(...some.map((r) => new Option(r < 1 ? `1/${Math.round(1 / r)} ×` : `${r} ×`, String(r))));
  rate.value = String(player.rate);
  by('marks').replaceChildren();
  if (span > 0) {
    stages.forEach((s, i) => {
      const left = (100 * (s.begin - player.begin)) / span;
      if (left < -1 || left > 101) return;
      const name = make('span', '', s.name);
      name.style.left = `${left}%`;
      name.style.maxWidth = `${(100 * (s.end - s.begin)) / span}%`;
      by('marks').append(name);
      if (i === 0) return;
      const mark = make('i');
      mark.style.left = `${left}%`;
      by('marks').append(mark);
    });
  }
  const digits = Math.max(0, Math.min(7, Math.ceil(1 - Math.log10(span / Math.max(1, store.frames - 1) || 1))));
  const now = make('b');
  const frames = make('span', 'frames');
  by('clock').replaceChildren(now, ` / ${player.end.toFixed(digits)} s`, frames);
  player.onState = () => {
    setIcon(by('play'), player.playing ? 'pause' : 'play', player.playing ? 'Pause' : 'Play');
    if (player.playing) by('start').hidden = true;
    if (document.activeElement !== scrub || player.playing) scrub.value = String(player.time);
    now.textContent = player.time.toFixed(digits);
    frames.textContent = ` · frame ${player.index + 1}/${store.frames}`;
  };
  player.onState();
}

function setUpTransport({player}: Shared): void {
  const scrub = by<HTMLInputElement>('scrub');
  scrub.oninput = () => void player.seek(Number(scrub.value));
  const rate = by<HTMLSelectElement>('rate');
  rate.onchange = () => {
    player.rate = Number(rate.value);
    rate.dataset.chosen = 'true';
  };
  const toggle = () => player.play(!player.playing);
  by('play').onclick = toggle;
  by('start').onclick = toggle;
  // Whoever touches the scene wants to see it.
  for (const touch of ['pointerdown', 'wheel'])
    by('canvas').addEventListener(touch, () => (by('start').hidden = true), {passive: true});
  const step = (n: number) => {
    player.play(false);
    void player.seekFrame(player.index + n);
  };
  by('back').onclick = () => step(-1);
  by('forth').onclick = () => step(1);
  const press = (id: string) => by(id).click();
  document.addEventListener('keydown', (e) => {
    const target = e.target as HTMLElement;
    if (
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      target.tagName === 'SELECT' ||
      target.matches('.tools input') ||
      (target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter'))
    )
      return;
    const keys: Record<string, () => void> = {
      ' ': toggle,
      ArrowLeft: () => step(e.shiftKey ? -10 : -1),
      ArrowRight: () => step(e.shiftKey ? 10 : 1),
      Home: () => step(-Infinity),
      End: () => step(Infinity),
      c: () => cycle('colour'), f: () => cycle('forces'), w: () => press('walls'), e: () => press('edges'), s: () => press('shadows'),
      i: () => press('smooth'), l: () => press('loop'), r: () => press('reset'), '?': () => press('help'),
    };
    const action = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!action) return;
    e.preventDefault();
    action();
  });
}

function cycle(id: string): void {
  const s = by<HTMLSelectElement>(id);
  if (s.disabled) return;
  s.selectedIndex = (s.selectedIndex + 1) % s.options.length;
  s.dispatchEvent(new Event('change'));
}

/** What the page is made of. */
interface Report {
  about: About;
  run: JsonObject | null;
  store: Store | null;
  series: Table | null;
  stages: Stage[];
  plots: Plots | null;
  shared: Shared | null;
  grows: boolean;    // there is a server to bring more
  isBlind: boolean;  // the browser cannot draw in three dimensions
}

function endOf({store, series}: Report): number {
  return Math.max(0, store?.header.frames[store.frames - 1]?.time ?? 0, series?.time[series.time.length - 1] ?? 0);
}

/** The 3-D view, or the reason why there is none; the rest of the page does without. */
async function setUpView(report: Report): Promise<void> {
  const {store, about, grows} = report;
  if (!store || store.frames === 0) return;
  by('message').hidden = true;
  const player = new Player(store);
  // Key frames stand alone, so that a few of them are quickly decoded.
  const keys = store.header.frames.map((f, k) => (f.key ? k : -1)).filter((k) => k >= 0);
  const some = new Set(Array.from({length: 7}, (_, i) => keys[Math.round((i * (keys.length - 1)) / 6)]));
  const frames = await Promise.all([...some].map((k) => store.frame(k)));
  let view: View;
  try {
    view = new View(by<HTMLCanvasElement>('canvas'), store, frames, upOf(about.case), grows);
  } catch (e) {
    console.info(e);
    report.isBlind = true;
    say('No WebGL', 'This browser cannot draw in three dimensions (WebGL is missing or switched off). The plots and tables beside work.');
    return;
  }
  const shared: Shared = {store, view, player, materials: namesUnder('materials', about.case)};
  player.onShow = (a: Frame, b: Frame, mix: number) => {
    const other = view.frameNow !== a;
    view.show(a, b, mix);
    if (other && view.colour === 'speed' && view.speeds.ofFrame) showLegend(shared);
    if (other && view.forces.mode !== 'off') showForceLegend(shared);
    if (view.selected >= 0) showCard(shared);
  };
  player.onError = (e) => {
    player.play(false);
    say('This frame cannot be shown', (e as Error).message);
  };
  view.beforeDraw = () => player.tick();
  view.onSlow = () => {
    if (by('shadows').getAttribute('aria-pressed') !== 'true') return;
    by('shadows').click();
    by('shadows').title = 'Shadows (S): switched off, because this computer drew slowly with them';
  };
  view.onDraw = () => showCorner(view);
  view.onPick = (row) => {
    view.select(row);
    showCard(shared);
  };
  view.setTheme(wantsDark.matches);
  offer(shared, grows);
  setUpTools(shared);
  setUpTransport(shared);
  showSpan(shared, report.stages);
  // Whoever watches a run wants to see how far it has come.
  const follows = grows && isRunning(report.run);
  if (follows) by('start').hidden = true;
  report.shared = shared;
  await player.seek(follows ? player.end : player.begin);
}

function setUpPlots(report: Report): void {
  const {series, about, stages, run} = report;
  const panel = by('panel-plots');
  panel.replaceChildren();
  report.plots = null;
  if (!series || series.time.length === 0) {
    panel.append(make('p', 'empty', series ? 'series.csv holds no rows yet.' : 'There is no series.csv in the results folder.'));
    return;
  }
  report.plots = new Plots(panel, series, stages.map((s) => [s.begin, s.end]), {
    names: namesUnder('measure', about.case),
    columns: stages.flatMap((s) => s.measured.map((m) => m.column.replace(/\s*\[[^\]]*\]$/, ''))),
  }, wishesOf(run));
  report.plots.onSeek = (t) => void report.shared?.player.seek(t);
}

function showLicences(): void {
  const pre = make('pre', '', (by<HTMLTemplateElement>('licences').content.textContent ?? '').trim());
  by('panel-run').append(make('details', '', make('summary', '', 'Libraries in this page'), pre));
}

/** What run.json, case.yaml and the notes say; may be said again when they have changed. */
function showAbout(report: Report, before: About | null): void {
  const {about} = report;
  document.title = about.title ? `${about.title} – Scree` : 'Scree';
  by('title').textContent = about.title;
  const {run, why} = parseRun(about.run);
  report.run = run;
  showVerdict(run);
  if (!before || before.case !== about.case) showCase(by('panel-case'), about.case);
  if (!before || before.run !== about.run) showRun(by('panel-run'), run, why), showLicences();
  by('notes').replaceChildren(...about.notes.map((n) => make('li', '', n)));
  by('notes').hidden = about.notes.length === 0;
}

/** What hangs on how far the run has come. */
function showExtent(report: Report): void {
  const {run, store} = report;
  const end = endOf(report);
  report.stages = stagesOf(run, end);
  showFacts(run, store, end);
  showStages(by('panel-stages'), report.stages, (t) => void report.shared?.player.seek(t));
}

/** Plots show where the playback is. */
function keepTime(report: Report): void {
  let shown: [Plots | null, number] = [null, NaN];
  const follow = () => {
    const {plots, shared} = report;
    const t = shared?.player.time ?? endOf(report);
    if (plots && (plots !== shown[0] || t !== shown[1])) plots.setTime(t), (shown = [plots, t]);
    requestAnimationFrame(follow);
  };
  follow();
}

function watchTheme(report: Report): void {
  wantsDark.addEventListener('change', () => {
    const {shared, plots} = report;
    shared?.view.setTheme(wantsDark.matches);
    if (shared) showLegend(shared), showForceLegend(shared);
    plots?.redraw();
  });
}

/** For the tests and for the curious. */
function tell(report: Report, more = {}): void {
  const {shared, store, plots} = report;
  Object.assign(window, {scree: {...shared, store, plots, ready: true, ...more}});
  document.documentElement.dataset.ready = 'true';
}

function emptyReport(about: About, grows: boolean): Report {
  return {about, run: null, store: null, series: null, stages: [], plots: null, shared: null, grows, isBlind: false};
}

/** A page that holds all of its data. */
async function begin(): Promise<void> {
  const report = emptyReport(await unpackJson<About>(blockText('scree-about')), false);
  const {about} = report;
  showAbout(report, null);
  const frame = (k: number) => blockText(`scree-frame-${k}`);
  const store = await Store.open([{header: blockText('scree-header'), particles: blockText('scree-particles'), frame}]);
  report.store = store;
  if (about.series !== null) (report.series = new Table()).add(about.series);
  showExtent(report);
  setUpPlots(report);
  setUpTabs(() => report.plots?.redraw());
  if (store.frames === 0) say('No frames', 'There is nothing to play; the plots and tables beside are all there is.');
  await setUpView(report);
  keepTime(report);
  watchTheme(report);
  const hash = new URLSearchParams(location.hash.slice(1));
  if (report.shared && hash.has('t')) {
    by('start').hidden = true;
    await report.shared.player.seek(Number(hash.get('t')) || 0);
  }
  tell(report);
}

/** Frames that have come. The time that is shown stays, but who was at the newest frame stays there. */
async function takeFrames(report: Report, news: News, isOtherEdition: boolean): Promise<void> {
  const parts = partsOf(news);
  if (parts.length === 0) return;
  if (!report.store || !report.shared) {
    if (report.store && !isOtherEdition) for (const p of parts) await report.store.add(p);
    else report.store = await Store.open(parts);
    showExtent(report);
    if (!report.isBlind) await setUpView(report);
    return;
  }
  const {store, shared} = report;
  const {player, view} = shared;
  const wasNewest = player.time >= player.end;
  if (isOtherEdition) {
    const fresh = await Store.open(parts);
    const selected = view.selected < 0 ? null : store.particles.id[view.selected];
    store.replaceBy(fresh);
    view.renew(true);
    if (selected !== null) view.select(store.particles.id.indexOf(selected));
    if (view.selected < 0) by('card').hidden = true;
  } else {
    for (const p of parts) await store.add(p, () => view.renew(false));
  }
  view.reframe(await store.frame(store.frames - 1));
  offer(shared, true);
  showLegend(shared), showForceLegend(shared);
  showExtent(report);
  showSpan(shared, report.stages);
  if (wasNewest && !player.playing) await player.seek(player.end);
  else if (isOtherEdition || player.time > player.end) await player.seek(player.time);
}

async function takeSeries(report: Report, {text: packed, first}: NonNullable<News['series']>): Promise<void> {
  const text = await unpackText(packed);
  const before = report.series;
  if (first > 0 && before) before.add(text);
  else if (!before?.replace(text)) (report.series = new Table()).add(text);
  showExtent(report);
  const stages = report.stages.map((s): [number, number] => [s.begin, s.end]);
  if (report.plots && report.series === before && before && before.time.length > 0) report.plots.grow(stages);
  else setUpPlots(report);
}

/** How it stands with the run and with the server. */
function showLive(report: Report, feed: Feed): void {
  const {state, silence, age} = feed;
  const {run} = report;
  if (!state && silence === null) return;  // the first answer is on its way
  const isLost = silence === null && run !== null && isRunning(run) && state?.writes === false;
  const isOver = run !== null && !isRunning(run);
  const old = age === null ? '' : ` · newest data ${duration(Math.round(age))} old`;
  const [kind, text] =
    silence !== null ? ['gone', 'not live']
    : state?.problem ? ['gone', 'not live']
    : isLost ? ['gone', `the run has stopped${old}`]
    : isOver ? ['idle', 'live · the run has ended']
    : age === null ? ['on', 'live · waiting for the run'] : ['on', `live${old}`];
  by('live').textContent = text;
  by('live').dataset.kind = kind;
  by('live').hidden = false;
  const since = silence === null ? '' : duration(Math.round(silence));
  const reason =
    silence !== null ? `The server of this page has not answered for ${since}. What it has sent can still be looked at; scree view --live serves the run again.`
    : state?.problem ? `${state.problem.charAt(0).toUpperCase()}${state.problem.slice(1)}.`
    : isLost ? 'No process writes into the results folder any more, and none has said how the run ended: it was killed, or its machine failed. scree run with --resume goes on with it.'
    : '';
  if (by('live-reason').textContent !== reason) by('live-reason').textContent = reason;
  by('live-reason').hidden = reason === '';
  if (run === null) by('verdict').hidden = true;
  if (isLost) by('verdict').textContent = 'Not running';
  else if (run && isRunning(run)) by('verdict').textContent = silence === null ? 'Running' : 'Running, when last heard of';
  const waits = state?.frames ? 'The frames cannot be read yet.' : 'The run has not written a frame yet; the first one is shown as soon as it comes.';
  if (!report.store || report.store.frames === 0) say('Waiting for frames', waits);
}

/** A page that asks its server for what is new. */
async function beginLive(): Promise<void> {
  const report = emptyReport({format: 1, title: '', run: null, series: null, case: null, notes: []}, true);
  const feed = new Feed();
  let isFirst = true;
  say('Loading', 'The frames that the run has written so far are read.');
  setUpTabs(() => report.plots?.redraw());
  feed.onNews = async (news) => {
    if (news.about) {
      const before = isFirst ? null : report.about;
      report.about = await unpackJson<About>(news.about.text);
      showAbout(report, before);
      showExtent(report);
      if (report.shared) report.shared.materials = namesUnder('materials', report.about.case);
      if (report.shared) showSpan(report.shared, report.stages);
    }
    await takeFrames(report, news, news.edition !== feed.edition);
    if (news.series) await takeSeries(report, news.series);
    isFirst = false;
  };
  feed.onFault = (e) => say('The newest data cannot be shown', (e as Error).message);
  feed.onState = () => {
    showLive(report, feed);
    tell(report, {feed});
  };
  keepTime(report);
  watchTheme(report);
  setInterval(() => showLive(report, feed), 1000);
  await feed.run();
}

(document.getElementById('scree-live') ? beginLive() : begin()).catch((e: Error) => {
  say('This page cannot be shown', e.message);
  document.documentElement.dataset.ready = 'failed';
});
