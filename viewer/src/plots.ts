// Time series of the run. Columns are grouped by what they are; whatever is not known by name can be chosen.
import uPlot from 'uplot';
import {number} from './units.ts';

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}

export interface Series {
  time: Float64Array;
  columns: Column[];
}

/** `time [s],contacts,force box.x_min x [N]`: names with units in brackets. Rows that are cut short are left out. */
export function parseSeries(text: string): Series | null {
  const lines = text.split(/\r?\n/).filter((l) => l.trim() !== '');
  if (lines.length < 1) return null;
  const cells = [...lines[0].matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]);
  const heads = cells.map((h) => /^\s*(.*?)\s*(?:\[([^\]]*)\])?\s*$/.exec(h)!);
  const rows = lines.slice(1).map((l) => l.split(',')).filter((r) => r.length === heads.length);
  const columns = heads.map((h, k) => ({
    name: h[1], unit: h[2] === '1' ? '' : (h[2] ?? ''),
    values: Float64Array.from(rows, (r) => (r[k].trim() === '' ? NaN : Number(r[k]))),
  }));
  const at = Math.max(0, columns.findIndex((c) => c.name === 'time'));
  const time = columns[at]?.values;
  if (!time || time.length === 0) return null;
  return {time, columns: columns.filter((_, k) => k !== at)};
}

interface Group {
  title: string;
  unit: string;
  columns: Column[];
  log?: boolean;
  stacked?: number;  // so many of the columns, from the first on, stand on each other
}

const names: Record<string, string> = {
  kinetic_translation: 'translation', kinetic_rotation: 'rotation', potential: 'potential', elastic: 'elastic',
  contacts: 'contacts', contact_points: 'contact points', sliding: 'sliding', candidate_pairs: 'candidate pairs',
  max_overlap: 'deepest overlap', max_speed: 'fastest grain', bonds_broken: 'broken bonds', bonds_elastic: 'elastic, bonds',
  lost_normal: 'lost, normal dashpots', lost_tangential: 'lost, other dashpots', lost_friction: 'lost, friction',
  lost_bonds: 'lost, bonds', work_of_walls: 'work of walls', work_of_gravity: 'work of gravity', kinetic: 'motion', lifted: 'potential above its least', given: 'all that was given',
};
export function label(name: string): string {
  return names[name] ?? (/[. ]/.test(name) ? name : name.replaceAll('_', ' '));  // names of walls stay as they are
}

/** Where the energy is, part upon part, under what was there and what came from outside: where the ledger closes, the
 *  parts fill all below that line. */
function ledger(series: Series, columns: Column[]): Group[] {
  const column = (name: string) => series.columns.find((c) => c.name === name);
  const unclosed = column('unclosed');
  if (!unclosed) return columns.length > 0 ? [{title: 'Energy ledger', unit: 'J', columns}] : [];
  const at = (name: string, k: number) => column(name)?.values[k] ?? 0;
  const made = (name: string, f: (k: number) => number): Column => ({name, unit: 'J', values: Float64Array.from(series.time, (_, k) => f(k))});
  const least = Array.from(column('potential')?.values ?? []).reduce((a, b) => Math.min(a, b), Infinity);
  const kept = ['lost_friction', 'lost_normal', 'lost_tangential', 'lost_bonds', 'elastic', 'bonds_elastic']
    .map(column).filter((c): c is Column => c !== undefined);
  const parts = [...kept, made('lifted', (k) => at('potential', k) - (Number.isFinite(least) ? least : 0)),
    made('kinetic', (k) => at('kinetic_translation', k) + at('kinetic_rotation', k))].filter((c) => c.values.some((v) => v !== 0));
  const given = made('given', (k) => parts.reduce((sum, c) => sum + c.values[k], 0) - unclosed.values[k]);
  return [{title: 'Where the energy is', unit: 'J', columns: [...parts, given, unclosed], stacked: parts.length}];
}

function group(series: Series): {groups: Group[]; others: Column[]} {
  const rest = new Set(series.columns);
  const take = (test: (c: Column) => boolean): Column[] => {
    const taken = [...rest].filter(test);
    taken.forEach((c) => rest.delete(c));
    return taken;
  };
  const named = (...list: string[]) => take((c) => list.includes(c.name));
  const groups: Group[] = [
    {title: 'Energy', unit: 'J', columns: named('kinetic_translation', 'kinetic_rotation', 'potential', 'elastic', 'bonds_elastic')},
    ...ledger(series, named('lost_normal', 'lost_tangential', 'lost_friction', 'lost_bonds', 'unclosed')),
    {title: 'Contacts', unit: '', columns: named('contacts', 'contact_points', 'sliding')},
    {title: 'Bonds', unit: '', columns: named('bonds_broken', 'fragments')},
    {title: 'Deepest overlap', unit: '% of size', columns: named('max_overlap').map((c) => (c.unit === '' ? {...c, unit: '%', values: c.values.map((v) => 100 * v)} : c))},
    {title: 'Speed', unit: 'm/s', columns: named('max_speed')},
  ];
  for (const g of groups) if (g.columns.length === 1 && g.columns[0].unit && g.columns[0].unit !== '%') g.unit = g.columns[0].unit;
  return {groups: groups.filter((g) => g.columns.length > 0), others: [...rest]};
}

const colours = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)', 'var(--c7)', 'var(--c8)'];

function element(tag: string, className: string, text?: string): HTMLElement {
  const e = document.createElement(tag);
  e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

/** A colour of the page, `#rrggbb`, for areas. */
function faded(hex: string): string {
  return hex + '99';
}

/** One plot with its own legend, which shows the values at the pointer or else at the time of the playback. */
class Plot {
  private chart: uPlot | null = null;
  private readonly box = element('div', 'plot-box');
  private readonly line = element('div', 'plot-now');
  private readonly values: HTMLElement[] = [];
  private readonly shown: boolean[];
  private log: boolean;
  private hover: number | null = null;
  private now = NaN;

  constructor(readonly root: HTMLElement, private readonly series: Series, private readonly g: Group, private readonly owner: Plots) {
    this.shown = g.columns.map(() => true);
    this.log = g.log ?? false;
    const head = element('div', 'plot-head');
    head.append(element('h3', '', g.title));
    if (g.unit) head.append(element('span', 'unit', g.unit));
    head.append(element('span', 'grow'));
    const positive = g.columns.some((c) => c.values.some((v) => v > 0));
    if (positive && !g.stacked) {
      const log = element('button', 'chip', 'log') as HTMLButtonElement;
      log.type = 'button';
      log.title = 'Logarithmic scale';
      log.setAttribute('aria-pressed', String(this.log));
      log.onclick = () => {
        this.log = !this.log;
        log.setAttribute('aria-pressed', String(this.log));
        this.draw();
      };
      head.append(log);
    }
    const legend = element('div', 'plot-legend');
    g.columns.forEach((c, k) => {
      const b = element('button', 'key') as HTMLButtonElement;
      b.type = 'button';
      b.setAttribute('aria-pressed', 'true');
      const dot = element('i', '');
      dot.style.background = this.colour(k);
      const value = element('b', '');
      this.values.push(value);
      b.append(dot, element('span', '', label(c.name)), value);
      b.onclick = () => {
        this.shown[k] = !this.shown[k];
        b.setAttribute('aria-pressed', String(this.shown[k]));
        if (k < (g.stacked ?? 0)) this.draw();
        else this.chart?.setSeries(k + 1, {show: this.shown[k]});
      };
      legend.append(b);
    });
    root.append(head, legend, this.box);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** As CSS has it. Lines over a stack are told from its parts. */
  private colour(k: number): string {
    const stacked = this.g.stacked ?? 0;
    if (stacked > 0 && k >= stacked) return k === stacked ? 'var(--ink)' : 'var(--bad)';
    return colours[k % colours.length];
  }
  /** What is drawn: the parts of a stack each on those that are shown below it. */
  private drawn(): (Float64Array | (number | null)[])[] {
    const stacked = this.g.stacked ?? 0, below = new Float64Array(this.series.time.length);
    return this.g.columns.map((c, k) => {
      if (this.log) return Array.from(c.values, (v) => (v > 0 ? v : null));
      if (k >= stacked || !this.shown[k]) return c.values;
      c.values.forEach((v, i) => (below[i] += v));
      return below.slice();
    });
  }
  private bands(style: CSSStyleDeclaration): uPlot.Band[] {
    const shown = this.g.columns.map((_, k) => k).filter((k) => k < (this.g.stacked ?? 0) && this.shown[k]);
    return shown.slice(1).map((k, i) => ({series: [k + 1, shown[i] + 1] as uPlot.Band.Bounds, fill: faded(this.css(k, style))}));
  }
  private css(k: number, style: CSSStyleDeclaration): string {
    return style.getPropertyValue(this.colour(k).slice(4, -1)).trim();
  }

  private width = 0;
  draw(force = true): void {
    const width = this.box.clientWidth;
    if (width < 40 || (!force && width === this.width)) return;
    this.width = width;
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.chart?.destroy();
    const axis = {stroke: colour('--muted'), grid: {stroke: colour('--grid'), width: 1}, ticks: {stroke: colour('--grid'), width: 1, size: 4}, font: '11px ' + colour('--sans')};
    this.chart = new uPlot(
      {
        width,
        height: this.owner.height,
        legend: {show: false},
        cursor: {
          y: false,
          points: {size: 6},
          drag: {x: true, y: false},
          sync: {key: 'scree', setSeries: false},
        },
        scales: {x: {time: false}, y: this.log ? {distr: 3} : {}},
        axes: [
          {...axis, size: 30, values: (_u, v) => v.map((x) => (x === null ? '' : number(x, 4)))},
          {...axis, size: 54, values: (_u, v) => v.map((x) => (x === null ? '' : number(x, 3)))},
        ],
        series: [
          {},
          ...this.g.columns.map((c, k) => ({
            label: c.name, stroke: this.css(k, style), width: k < (this.g.stacked ?? 0) ? 1 : 1.6, show: this.shown[k],
            points: {show: this.series.time.length < 3},
            fill: this.g.stacked && k === this.shown.indexOf(true) && k < this.g.stacked ? faded(this.css(k, style)) : undefined,
            dash: this.g.stacked && k === this.g.stacked ? [5, 4] : undefined,
          })),
        ],
        bands: this.bands(style),
        hooks: {
          setCursor: [(u) => {
            this.hover = u.cursor.left !== undefined && u.cursor.left >= 0 ? (u.cursor.idx ?? null) : null;
            this.write();
          }],
          setScale: [() => this.place()],
          drawClear: [(u) => this.stages(u, colour('--stage'))],
        },
      },
      [this.series.time, ...this.drawn()] as uPlot.AlignedData,
      this.box,
    );
    this.chart.over.append(this.line);
    // A click goes to that time; a drag zooms, a double click shows all (uPlot swallows the click that ends a drag).
    const u = this.chart;
    u.over.addEventListener('click', (e) => this.owner.onSeek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x')));
    this.place();
  }

  /** Every other stage is tinted. */
  private stages(u: uPlot, tint: string): void {
    const {ctx, bbox} = u;
    ctx.save();
    ctx.fillStyle = tint;
    this.owner.stages.forEach(([begin, end], i) => {
      if (i % 2 === 0) return;
      const a = Math.max(u.valToPos(begin, 'x', true), bbox.left);
      const b = Math.min(u.valToPos(end, 'x', true), bbox.left + bbox.width);
      if (b > a) ctx.fillRect(a, bbox.top, b - a, bbox.height);
    });
    ctx.restore();
  }

  setTime(t: number): void {
    this.now = t;
    this.place();
    if (this.hover === null) this.write();
  }

  private place(): void {
    const u = this.chart;
    if (!u) return;
    const x = u.valToPos(this.now, 'x');
    const inside = Number.isFinite(x) && x >= -0.5 && x <= u.over.clientWidth + 0.5;
    this.line.style.display = inside ? '' : 'none';
    if (inside) this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  private write(): void {
    const {time} = this.series;
    let k = this.hover ?? 0;
    if (this.hover === null) {
      let hi = time.length - 1;
      while (k < hi) {
        const mid = (k + hi + 1) >> 1;
        if (time[mid] <= this.now + 1e-12) k = mid;
        else hi = mid - 1;
      }
    }
    this.g.columns.forEach((c, i) => {
      const text = number(c.values[k], 4);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
  }

  destroy(): void {
    this.chart?.destroy();
    this.root.remove();
  }
}

export class Plots {
  onSeek: (t: number) => void = () => {};
  stages: [number, number][] = [];
  readonly height = 168;
  private readonly plots: Plot[] = [];
  private chosen: Plot[] = [];

  constructor(private readonly root: HTMLElement, private readonly series: Series, stages: [number, number][]) {
    this.stages = stages;
    const {groups, others} = group(series);
    for (const g of groups) {
      const box = element('section', 'plot');
      root.append(box);
      this.plots.push(new Plot(box, series, g, this));
    }
    if (others.length > 0) this.chooser(others);
  }

  private chooser(others: Column[]): void {
    const box = element('section', 'plot chooser');
    box.append(element('h3', '', 'More columns'));
    const chips = element('div', 'chips');
    const picked = new Set<Column>();
    const below = element('div', '');
    for (const c of others) {
      const b = element('button', 'chip', label(c.name)) as HTMLButtonElement;
      b.type = 'button';
      if (c.unit) b.append(element('span', 'unit', c.unit));
      b.setAttribute('aria-pressed', 'false');
      b.onclick = () => {
        picked.has(c) ? picked.delete(c) : picked.add(c);
        b.setAttribute('aria-pressed', String(picked.has(c)));
        this.plotChosen(below, others.filter((o) => picked.has(o)));
      };
      chips.append(b);
    }
    box.append(chips, below);
    this.root.append(box);
  }

  /** One plot per unit. */
  private plotChosen(below: HTMLElement, columns: Column[]): void {
    this.chosen.forEach((p) => p.destroy());
    const units = [...new Set(columns.map((c) => c.unit))];
    this.chosen = units.map((unit) => {
      const box = element('section', 'plot');
      below.append(box);
      const list = columns.filter((c) => c.unit === unit);
      return new Plot(box, this.series, {title: list.length === 1 ? label(list[0].name) : 'Chosen', unit, columns: list}, this);
    });
    this.setTime(this.time);
  }

  private time = NaN;
  setTime(t: number): void {
    this.time = t;
    for (const p of [...this.plots, ...this.chosen]) p.setTime(t);
  }

  redraw(): void {
    for (const p of [...this.plots, ...this.chosen]) p.draw();
  }

  get count(): number {
    return this.plots.length + this.chosen.length;
  }
}
