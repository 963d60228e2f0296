// What stands beside the view: the case, where the results come from, the stages.
import type {Wished} from './plots.ts';
import {bytes, duration, number, quantity, whole} from './units.ts';
import {highlight} from './yaml.ts';

export type Json = null | boolean | number | string | Json[] | {[key: string]: Json};
export type JsonObject = {[key: string]: Json};

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, className = '', ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children);
  return e;
}

export function isObject(v: Json | undefined): v is JsonObject {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}
export function numberOf(v: Json | undefined): number | null {
  return typeof v === 'number' && Number.isFinite(v) ? v : null;
}
export function textOf(v: Json | undefined): string | null {
  return typeof v === 'string' ? v : null;
}

export interface Stage {
  name: string;
  begin: number;
  end: number;
  /** By what it ended; null: the run ended within it. */
  ended: string | null;
  /** Columns of series.csv over the stage; null: no value. */
  measured: {column: string; mean: number | null; smallest: number | null; largest: number | null; last: number | null}[];
}

/** Plots that the case asks for. */
export function wishesOf(run: JsonObject | null): Wished[] {
  if (!Array.isArray(run?.plots)) return [];
  return run.plots.filter(isObject).map((p) => ({
    title: textOf(p.title) ?? '',
    over: textOf(p.over) ?? 'time',
    of: Array.isArray(p.of) ? p.of.filter((c) => typeof c === 'string') : [],
  }));
}

export function stagesOf(run: JsonObject | null, end: number): Stage[] {
  if (!Array.isArray(run?.stages)) return [];
  return run.stages.filter(isObject).map((s, i) => ({
    name: textOf(s.name) ?? `stage ${i + 1}`,
    begin: numberOf(s.begin) ?? 0,
    end: numberOf(s.end) ?? end,
    ended: isObject(s.ended) ? textOf(s.ended.text) : null,
    measured: (Array.isArray(s.measured) ? s.measured : []).filter(isObject).map((m) => ({
      column: textOf(m.column) ?? '', mean: numberOf(m.mean), smallest: numberOf(m.smallest), largest: numberOf(m.largest), last: numberOf(m.last),
    })),
  }));
}

const labels: Record<string, string> = {
  title: 'Title', version: 'Scree version', case: 'Case', case_file: 'Case file', commit: 'Commit', compiler_flags: 'Compiler flags', critical_time_step: 'Critical time step',
  fraction: 'Fraction of critical', time: 'Simulated', stepping_seconds: 'of that, stepping', state_bytes: 'Memory of the state', seconds_per_phase: 'Seconds per phase', sessions: 'Sessions', cpu: 'Processor', case_hash: 'Hash of the case', state_hash: 'Hash of the final state',
  threads: 'Threads', started: 'Started', seconds: 'Took', steps: 'Steps', dt: 'Time step', particles: 'Particles',
  particle_steps_per_second: 'Speed', peak_memory_bytes: 'Peak memory', verdict: 'Verdict', machine: 'Machine', detection: 'Detection',
};

function readable(key: string, v: Json): {text: string; mono?: boolean} {
  if (v === null) return {text: '–'};
  if (typeof v === 'boolean') return {text: v ? 'yes' : 'no'};
  if (typeof v === 'number') {
    if (/bytes$/.test(key)) return {text: bytes(v)};
    if (key === 'particle_steps_per_second') return {text: `${v >= 1e6 ? number(v / 1e6, 3) + ' million' : whole(v)} particle-steps/s`};
    if (key === 'dt' || key === 'critical_time_step' || key === 'time') return {text: quantity(v, 's')};
    if (key === 'seconds' || /_seconds$|^seconds_/.test(key)) return {text: duration(v)};
    return {text: Number.isInteger(v) && Math.abs(v) < 1e15 ? whole(v) : number(v, 6)};
  }
  if (typeof v === 'string') {
    if (key === 'started' && !Number.isNaN(Date.parse(v))) return {text: `${v.replace('T', ' ').replace(/Z$/, '')} UTC`};
    return {text: v, mono: /hash|case|path|command|commit|flags/.test(key)};
  }
  if (Array.isArray(v) && v.every((x) => typeof x !== 'object' || x === null)) return {text: v.map((x) => readable('', x).text).join(', ')};
  return {text: JSON.stringify(v), mono: true};
}

function row(key: string, v: Json): HTMLTableRowElement {
  const {text, mono} = readable(key, v);
  const cell = make('td', mono ? 'mono' : '', text);
  if (typeof v !== 'object') cell.title = String(v);
  const name = labels[key] ?? key.replaceAll('_', ' ');
  const head = make('th', '', name.charAt(0).toUpperCase() + name.slice(1));
  head.scope = 'row';
  return make('tr', '', head, cell);
}

function heads(...names: string[]): HTMLTableSectionElement {
  return make('thead', '', make('tr', '', ...names.map((t) => make('th', '', t))));
}

/** One row for each start or resume. */
function sessionTable(sessions: JsonObject[]): HTMLTableElement {
  const body = make('tbody');
  for (const s of sessions) {
    const [from, to, seconds, stepping, steps] = [
      s.from_step,
      s.to_step,
      s.seconds,
      s.stepping_seconds,
      s.particle_steps,
    ].map(numberOf);
    const speed =
      steps !== null && stepping
        ? readable('particle_steps_per_second', steps / stepping).text.replace(' particle-steps/s', '')
        : '–';
    const cells = [
      readable('started', s.started ?? null).text,
      `${from === null ? '–' : whole(from)} – ${to === null ? '…' : whole(to)}`,
      readable('', s.threads ?? null).text,
      seconds === null ? '–' : duration(seconds),
      speed,
    ];
    body.append(make('tr', '', ...cells.map((t) => make('td', '', t))));
  }
  return make('table', 'sessions', heads('Started', 'Steps', 'Threads', 'Took', 'Particle-steps/s'), body);
}

/** run.json as tables, whatever is in it: plain values first, then one table per object. */
export function showRun(panel: HTMLElement, run: JsonObject | null, why: string | null): void {
  panel.replaceChildren();
  if (!run) {
    panel.append(make('p', 'empty', why ?? 'There is no run.json in the results folder.'));
    return;
  }
  const plain = make('tbody');
  const tables: Node[] = [];
  for (const [key, v] of Object.entries(run)) {
    if (key === 'stages') continue;
    if (key === 'sessions' && Array.isArray(v) && v.length > 0 && v.every(isObject)) {
      tables.push(make('h3', 'section', 'Sessions'), sessionTable(v as JsonObject[]));
      continue;
    }
    if (!isObject(v)) {
      plain.append(row(key, v));
      continue;
    }
    const body = make('tbody');
    for (const [k, x] of Object.entries(v)) if (x !== '') body.append(row(k, x));
    tables.push(make('h3', 'section', labels[key] ?? key.replaceAll('_', ' ')), make('table', '', body));
  }
  panel.append(make('table', '', plain), ...tables);
}

export function showStages(panel: HTMLElement, stages: Stage[], seek: (t: number) => void): void {
  panel.replaceChildren();
  if (stages.length === 0) {
    panel.append(make('p', 'empty', 'The run names no stages.'));
    return;
  }
  const body = make('tbody');
  for (const s of stages) {
    const name = make('button', 'link', s.name);
    name.type = 'button';
    name.title = 'Go to the beginning of this stage';
    name.onclick = () => seek(s.begin);
    body.append(make('tr', '', make('td', '', name), make('td', '', `${number(s.begin)} s`), make('td', '', `${number(s.end)} s`), make('td', '', `${number(s.end - s.begin, 3)} s`), make('td', '', s.ended ?? '–')));
  }
  panel.append(make('table', 'spans', heads('Stage', 'Begins', 'Ends', 'Lasts', 'Ended by'), body));
  for (const s of stages.filter((s) => s.measured.length > 0)) {
    const rows = make('tbody');
    for (const m of s.measured) {
      const noise = 2 ** -46 * Math.max(Math.abs(m.smallest ?? 0), Math.abs(m.largest ?? 0));
      const shown = (v: number | null) => make('td', '', v === null ? '–' : number(Math.abs(v) < noise ? 0 : v));
      rows.append(make('tr', '', make('td', '', m.column), ...[m.mean, m.smallest, m.largest, m.last].map(shown)));
    }
    panel.append(make('h3', 'section', `Measured in ${s.name}`), make('table', 'measured', heads('Column', 'Mean', 'Smallest', 'Largest', 'Last'), rows));
  }
}

export function showCase(panel: HTMLElement, text: string | null): void {
  panel.replaceChildren();
  if (text === null) {
    panel.append(make('p', 'empty', 'There is no case.yaml in the results folder.'));
    return;
  }
  const pre = make('pre', 'yaml');
  highlight(text, pre);
  const copy = make('button', 'chip', 'copy');
  copy.type = 'button';
  copy.onclick = () => {
    navigator.clipboard?.writeText(text).then(() => (copy.textContent = 'copied'), () => (copy.textContent = 'not allowed'));
  };
  panel.append(make('div', 'bar', `${whole(text.split('\n').length)} lines`, make('span', 'grow'), copy), pre);
}
