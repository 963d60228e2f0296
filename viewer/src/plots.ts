// Time series of the run. Columns are grouped by what they are; whatever is not known by name can be chosen. They stand
// over time, or over any other column.
import uPlot from 'uplot';
import {number, prefixed} from './units.ts';

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}

export interface Series {
  time: Float64Array;
  columns: Column[];
}

/** A column while it grows: room for more behind what is there. */
class Growing {
  private room = new Float64Array(64);
  private length = 0;
  push(v: number): void {
    if (this.length === this.room.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.room);
      this.room = larger;
    }
    this.room[this.length++] = v;
  }
  get values(): Float64Array {
    return this.room.subarray(0, this.length);
  }
}

/** series.csv, row by row: `time [s],contacts,force box.x_min x [N]`, names with units in brackets. */
export class Table implements Series {
  time: Float64Array = new Float64Array();
  columns: Column[] = [];
  private cells: Growing[] = [];
  private at = 0;  // of the time among the cells
  private headText: string | null = null;

  /** Whole lines; the first ones begin with the header. Rows that are cut short are left out. */
  add(text: string): void {
    const lines = text.split(/\r?\n/).filter((l) => l.trim() !== '');
    if (this.headText === null && lines.length > 0) this.head(lines.shift()!);
    for (const l of lines) {
      const cells = l.split(',');
      if (cells.length === this.cells.length)
        cells.forEach((c, k) => this.cells[k].push(c.trim() === '' ? NaN : Number(c)));
    }
    this.time = this.cells[this.at]?.values ?? this.time;
    this.cells.filter((_, k) => k !== this.at).forEach((c, k) => (this.columns[k].values = c.values));
  }

  /** Other rows in the place of these; false, and nothing done: they have other columns. */
  replace(text: string): boolean {
    const end = text.indexOf('\n');
    if (text.slice(0, end).trimEnd() !== this.headText) return false;
    this.cells = this.cells.map(() => new Growing());
    this.add(text.slice(end + 1));
    return true;
  }

  private head(line: string): void {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]);
    const heads = cells.map((h) => /^\s*(.*?)\s*(?:\[([^\]]*)\])?\s*$/.exec(h)!);
    this.headText = line;
    this.cells = heads.map(() => new Growing());
    this.at = Math.max(0, heads.findIndex((h) => h[1] === 'time'));
    this.columns = heads.filter((_, k) => k !== this.at)
      .map((h) => ({name: h[1], unit: h[2] === '1' ? '' : (h[2] ?? ''), values: new Float64Array()}));
  }
}

/** Names of measurements, which their columns begin with, and other columns that the case asks for. */
export interface Measured {
  names: string[];
  columns: string[];
}

/** Below which values of a unit are what rounding left of the largest ones. */
type Least = (unit: string) => number;
function leastOf(series: Series): Least {
  const most = new Map<string, number>();
  for (const c of series.columns) {
    let m = most.get(c.unit) ?? 0;
    for (const v of c.values) if (Math.abs(v) > m) m = Math.abs(v);
    most.set(c.unit, m);
  }
  return (unit) => (unit === '' ? 0 : (most.get(unit) ?? 0) * 2 ** -46);
}

/** A plot that the case asks for: names of columns without units. */
export interface Wished {
  title: string;
  over: string;
  of: string[];
}

interface Group {
  title: string;
  unit: string;
  columns: Column[];
  over?: Column | null;  // what it always stands over, null: time
  log?: boolean;
  stacked?: number;  // so many of the columns, from the first on, stand on each other
}

const names: Record<string, string> = {
  kinetic_translation: 'translation', kinetic_rotation: 'rotation', potential: 'potential', elastic: 'elastic',
  contacts: 'contacts', contact_points: 'contact points', sliding: 'sliding', candidate_pairs: 'candidate pairs',
  max_overlap: 'deepest overlap', max_speed: 'fastest grain', bonds_broken: 'broken bonds', bonds_elastic: 'elastic, bonds',
  lost_normal: 'lost, normal dashpots', lost_tangential: 'lost, other dashpots', lost_friction: 'lost, friction',
  lost_bonds: 'lost, bonds', lost_global: 'lost, global damping', work_of_walls: 'work of walls', work_of_gravity: 'work of gravity', kinetic: 'motion', lifted: 'potential above its least', given: 'all that was given',
};
export function label(name: string): string {
  return names[name] ?? (/[. ]/.test(name) ? name : name.replaceAll('_', ' '));  // names of walls stay as they are
}

/** Where the energy is, part upon part, under what was there and what came from outside: where the ledger closes, the
 *  parts fill all below that line. */
function ledger(series: Series, columns: Column[], least: Least): Group[] {
  const column = (name: string) => series.columns.find((c) => c.name === name);
  const unclosed = column('unclosed');
  if (!unclosed) return columns.length > 0 ? [{title: 'Energy ledger', unit: 'J', columns}] : [];
  const at = (name: string, k: number) => column(name)?.values[k] ?? 0;
  const made = (name: string, f: (k: number) => number): Column => ({name, unit: 'J', values: Float64Array.from(series.time, (_, k) => f(k))});
  const bottom = Array.from(column('potential')?.values ?? []).reduce((a, b) => Math.min(a, b), Infinity);
  const kept = ['lost_friction', 'lost_normal', 'lost_tangential', 'lost_global', 'lost_bonds', 'elastic', 'bonds_elastic']
    .map(column).filter((c): c is Column => c !== undefined);
  const parts = [
    ...kept,
    made('lifted', (k) => at('potential', k) - (Number.isFinite(bottom) ? bottom : 0)),
    made('kinetic', (k) => at('kinetic_translation', k) + at('kinetic_rotation', k)),
  ].filter((c) => c.values.some((v) => Math.abs(v) > least('J')));
  const given = made('given', (k) => parts.reduce((sum, c) => sum + c.values[k], 0) - unclosed.values[k]);
  return [{title: 'Where the energy is', unit: 'J', columns: [...parts, given, unclosed], stacked: parts.length}];
}

/** Plots that the case asks for; of columns that are not there none. */
function wished(series: Series, list: Wished[]): Group[] {
  const column = (name: string) => series.columns.find((c) => c.name === name);
  return list.flatMap(({title, over, of}) => {
    const columns = of.map(column).filter((c): c is Column => c !== undefined), along = column(over) ?? null;
    if (columns.length === 0 || (along === null && over !== 'time')) return [];
    const what = columns.length === 1 ? label(columns[0].name) : columns.map((c) => label(c.name)).join(', ');
    return [{title: title || (along ? `${what} over ${label(along.name)}` : what), unit: columns[0].unit, columns, over: along}];
  });
}

const mostMeasured = 16;  // plots

/** What the case measures, a plot for each measurement and unit; and what its stages measure besides. */
function measured(take: (test: (c: Column) => boolean) => Column[], {names, columns}: Measured): Group[] {
  const groups: Group[] = [];
  const add = (title: string, all: Column[]) => {
    for (const unit of new Set(all.map((c) => c.unit))) {
      const list = all.filter((c) => c.unit === unit);
      groups.push({title: list.length === 1 ? label(list[0].name) : title, unit, columns: list});
    }
  };
  for (const name of names) if (groups.length < mostMeasured) add(name, take((c) => c.name.startsWith(`${name} `)));
  add('Measured in the stages', take((c) => columns.includes(c.name)));
  return groups;
}

function group(series: Series, least: Least, wanted: Measured): {groups: Group[]; others: Column[]} {
  const rest = new Set(series.columns);
  const take = (test: (c: Column) => boolean): Column[] => {
    const taken = [...rest].filter(test);
    taken.forEach((c) => rest.delete(c));
    return taken;
  };
  const named = (...list: string[]) => take((c) => list.includes(c.name));
  const groups: Group[] = [
    {title: 'Energy', unit: 'J', columns: named('kinetic_translation', 'kinetic_rotation', 'potential', 'elastic', 'bonds_elastic')},
    ...ledger(series, named('lost_normal', 'lost_tangential', 'lost_friction', 'lost_global', 'lost_bonds', 'unclosed'), least),
    {title: 'Contacts', unit: '', columns: named('contacts', 'contact_points', 'sliding')},
    {title: 'Bonds', unit: '', columns: named('bonds_broken', 'fragments')},
    {title: 'Deepest overlap', unit: '% of size', columns: named('max_overlap').map((c) => (c.unit === '' ? {...c, unit: '%', values: c.values.map((v) => 100 * v)} : c))},
    {title: 'Speed', unit: 'm/s', columns: named('max_speed')},
    ...measured(take, wanted),
  ];
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

/** With the prefixes of the axes, which know no centimetres. */
function reading(v: number, unit: string): string {
  const p = prefixed(v, unit);
  return `${number(v * p.scale)} ${Number.isNaN(v) ? '' : p.unit}`.trim();
}

/** Name and unit with the prefix that fits the largest value, and what values are multiplied by. */
function axisOf(name: string, columns: (ArrayLike<number | null>)[], unit: string): {label: string; scale: number} {
  let most = 0;
  for (const c of columns) for (let i = 0; i < c.length; ++i) most = Math.max(most, Math.abs(c[i] ?? 0) || 0);
  const p = prefixed(most, unit);
  return {label: name && p.unit ? `${name} [${p.unit}]` : name || p.unit, scale: p.scale};
}

function canBeLog(g: Group): boolean {
  return !g.stacked && g.columns.some((c) => c.values.some((v) => v > 0));
}

/** One plot with its own legend, which shows the values at the pointer or else at the time of the playback. */
class Plot {
  private chart: uPlot | null = null;
  private readonly box = element('div', 'plot-box');
  private readonly line = element('div', 'plot-now');
  private readonly dots: HTMLElement[];  // over another column than time: where each column is now
  private readonly values: HTMLElement[] = [];
  private readonly shown: boolean[];
  private log: boolean;
  private readonly hasLog: boolean;
  private hover: number | null = null;
  private now = NaN;

  constructor(readonly root: HTMLElement, private readonly series: Series, private g: Group, private readonly owner: Plots) {
    this.shown = g.columns.map(() => true);
    this.log = g.log ?? false;
    this.dots = g.columns.map((_, k) => {
      const dot = element('div', 'plot-dot');
      dot.style.background = this.colour(k);
      return dot;
    });
    const head = element('div', 'plot-head');
    head.append(element('h3', '', g.title));
    head.append(element('span', 'grow'));
    this.hasLog = canBeLog(g);
    if (this.hasLog) {
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
    root.addEventListener('pointerleave', () => this.catchUp());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** As CSS has it. Lines over a stack are told from its parts. */
  private colour(k: number): string {
    const stacked = this.g.stacked ?? 0;
    if (stacked > 0 && k >= stacked) return k === stacked ? 'var(--ink)' : 'var(--bad)';
    return colours[k % colours.length];
  }
  /** Without noise, but for logarithms, which show how small something is. */
  private clean(v: number): number {
    return !this.log && Math.abs(v) < this.owner.least(this.g.unit) ? 0 : v;
  }
  /** What is drawn: the parts of a stack each on those that are shown below it. */
  private drawn(): (number | null)[][] {
    const stacked = this.g.stacked ?? 0, below = new Float64Array(this.series.time.length);
    return this.g.columns.map((c, k) => {
      if (k < stacked && this.shown[k]) return Array.from(c.values, (v, i) => (below[i] += this.clean(v)));
      return Array.from(c.values, (v) => (!Number.isFinite(v) || (this.log && v <= 0) ? null : this.clean(v)));
    });
  }
  /** The column along the axis where that is not time; a stack always stands over time, a plot of the case over its own. */
  private get over(): Column | null {
    if (this.g.over !== undefined) return this.g.over;
    return this.g.stacked ? null : this.owner.over;
  }
  private bands(style: CSSStyleDeclaration): uPlot.Band[] {
    const shown = this.g.columns.map((_, k) => k).filter((k) => k < (this.g.stacked ?? 0) && this.shown[k]);
    return shown.slice(1).map((k, i) => ({series: [k + 1, shown[i] + 1] as uPlot.Band.Bounds, fill: faded(this.css(k, style))}));
  }
  private css(k: number, style: CSSStyleDeclaration): string {
    return style.getPropertyValue(this.colour(k).slice(4, -1)).trim();
  }

  get title(): string {
    return this.g.title;
  }
  get group(): Group {
    return this.g;
  }

  /** Whether another group has the same columns. */
  isOf(g: Group): boolean {
    const names = (of: Group) => [of.title, of.stacked, of.over?.name, ...of.columns.map((c) => c.name)].join('\n');
    return names(g) === names(this.g) && canBeLog(g) === this.hasLog;
  }

  /** As another plot was set by the user, as far as they have the same columns. */
  takeAfter(o: Plot): void {
    this.log = o.log && !this.g.stacked;
    this.root.querySelector('.plot-head .chip')?.setAttribute('aria-pressed', String(this.log));
    this.g.columns.forEach((c, k) => {
      const then = o.g.columns.findIndex((d) => d.name === c.name);
      if (then < 0 || o.shown[then]) return;
      this.shown[k] = false;
      this.root.querySelectorAll('.key')[k].setAttribute('aria-pressed', 'false');
    });
  }

  /** The series has more rows. What the user has zoomed to stays; a plot under the pointer waits until that leaves. */
  grow(g: Group): void {
    this.g = g;
    this.isBehind = true;
    this.catchUp();
  }
  private isBehind = false;
  private catchUp(): void {
    if (this.isBehind && !this.root.matches(':hover')) this.draw();
  }

  private isZoomed = false;
  private width = 0;
  draw(force = true): void {
    const width = this.box.clientWidth;
    if (width < 40 || (!force && width === this.width)) return;
    this.width = width;
    this.isBehind = false;
    const {x: zoomX, y: zoomY} = (this.isZoomed && this.chart?.scales) || {};
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    this.chart?.destroy();
    const {over} = this;
    const drawn = this.drawn();
    const along = over ? axisOf(label(over.name), [over.values], over.unit) : axisOf('time', [this.series.time], 's');
    const up = axisOf('', drawn.filter((_, k) => this.shown[k]), this.g.unit);
    const font = '11px ' + colour('--sans');
    const axis = {
      stroke: colour('--muted'),
      grid: {stroke: colour('--grid'), width: 1},
      ticks: {stroke: colour('--grid'), width: 1, size: 4},
      font,
      labelFont: font,
      labelSize: 15,
      labelGap: 0,
    };
    const ticks =
      ({scale}: {scale: number}, digits: number) =>
      (_u: uPlot, v: (number | null)[]) =>
        v.map((x) => (x === null ? '' : number(x * scale, digits)));
    const hover = () => {
      const u = this.chart;
      const inside = u && (u.cursor.left ?? -1) >= 0;
      this.hover = !inside ? null : over ? this.nearest(u) : (u.cursor.idx ?? null);
      this.write();
    };
    this.chart = new uPlot(
      {
        mode: over ? 2 : 1,
        width,
        height: this.owner.height,
        legend: {show: false},
        cursor: {
          y: over !== null,
          points: {size: 6, show: !over as false},
          drag: {x: true, y: over !== null},
          ...(over ? {} : {sync: {key: 'scree', setSeries: false}}),
        },
        scales: {x: {time: false}, y: this.log ? {distr: 3} : {}},
        axes: [
          {...axis, size: 30, values: ticks(along, 4), label: along.label},
          {...axis, size: 50, values: ticks(up, 3), ...(up.label ? {label: up.label} : {})},
        ],
        series: [
          {},
          ...this.g.columns.map((c, k) => ({
            label: c.name,
            stroke: this.css(k, style),
            width: k < (this.g.stacked ?? 0) ? 1 : 1.6,
            show: this.shown[k],
            points: {show: !over && this.series.time.length < 3},
            fill:
              this.g.stacked && k === this.shown.indexOf(true) && k < this.g.stacked
                ? faded(this.css(k, style))
                : undefined,
            dash: this.g.stacked && k === this.g.stacked ? [5, 4] : undefined,
            ...(over
              ? {
                  facets: [
                    {scale: 'x', auto: true},
                    {scale: 'y', auto: true},
                  ],
                  paths: () => null,
                }
              : {}),
          })),
        ],
        bands: this.bands(style),
        hooks: {
          setCursor: [hover],
          setSelect: [(u) => void (u.select.width > 0 && (this.isZoomed = true))],
          setScale: [() => this.place()],
          drawClear: [(u) => (over ? undefined : this.stages(u, colour('--stage')))],
          draw: [(u) => (over ? this.paths(u, over, drawn, style) : undefined)],
        },
      },
      (over
        ? [null, ...drawn.map((y) => [Array.from(over.values), y])]
        : [this.series.time, ...drawn]) as uPlot.AlignedData,
      this.box,
    );
    this.chart.over.append(this.line, ...this.dots);
    // A click goes to that time; a drag zooms, a double click shows all (uPlot swallows the click that ends a drag).
    const u = this.chart;
    u.over.addEventListener('dblclick', () => (this.isZoomed = false));
    // Of another run nothing may lie there.
    if (zoomX && zoomY && !over && zoomX.min! >= this.series.time[this.series.time.length - 1]) this.isZoomed = false;
    if (zoomX && zoomY && this.isZoomed) {
      u.setScale('x', {min: zoomX.min!, max: zoomX.max!});
      if (over) u.setScale('y', {min: zoomY.min!, max: zoomY.max!});
    }
    u.over.addEventListener('click', (e) => {
      const k = over ? this.nearest(u) : null;
      if (!over) this.owner.onSeek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
      else if (k !== null) this.owner.onSeek(this.series.time[k]);
    });
    this.place();
  }

  /** Lines in the order of time, whichever way x goes. */
  private paths(u: uPlot, over: Column, drawn: (number | null)[][], style: CSSStyleDeclaration): void {
    const {ctx, bbox} = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.6 * devicePixelRatio;
    ctx.lineJoin = 'round';
    drawn.forEach((y, k) => {
      if (!this.shown[k]) return;
      ctx.strokeStyle = this.css(k, style);
      ctx.beginPath();
      let begun = false;
      y.forEach((v, i) => {
        const x = over.values[i];
        if (v === null || !Number.isFinite(x)) return void (begun = false);
        ctx[begun ? 'lineTo' : 'moveTo'](u.valToPos(x, 'x', true), u.valToPos(v, 'y', true));
        begun = true;
      });
      ctx.stroke();
    });
    ctx.restore();
  }

  /** Row of the point that is nearest to the pointer. */
  private nearest(u: uPlot): number | null {
    const {left = -1, top = -1} = u.cursor;
    let best = Infinity;
    let found: number | null = null;
    this.g.columns.forEach((c, k) => {
      if (!this.shown[k]) return;
      this.over?.values.forEach((x, i) => {
        const d = Math.hypot(u.valToPos(x, 'x') - left, u.valToPos(c.values[i], 'y') - top);
        if (d < best) (best = d), (found = i);
      });
    });
    return found;
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
    const {over} = this;
    const x = u.valToPos(this.now, 'x');
    const inside = !over && Number.isFinite(x) && x >= -0.5 && x <= u.over.clientWidth + 0.5;
    this.line.style.display = inside ? '' : 'none';
    if (inside) this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
    const k = this.rowNow();
    this.dots.forEach((dot, i) => {
      const [px, py] = over
        ? [u.valToPos(over.values[k], 'x'), u.valToPos(this.g.columns[i].values[k], 'y')]
        : [NaN, NaN];
      const there = this.shown[i] && px >= 0 && py >= 0 && px <= u.over.clientWidth && py <= u.over.clientHeight;
      dot.style.display = there ? '' : 'none';
      if (there) dot.style.transform = `translate(${px.toFixed(1)}px, ${py.toFixed(1)}px)`;
    });
  }

  /** Last row that is not after the time of the playback. */
  private rowNow(): number {
    const {time} = this.series;
    let k = 0;
    let hi = time.length - 1;
    while (k < hi) {
      const mid = (k + hi + 1) >> 1;
      if (time[mid] <= this.now + 1e-12) k = mid;
      else hi = mid - 1;
    }
    return k;
  }

  private write(): void {
    const k = this.hover ?? this.rowNow();
    this.g.columns.forEach((c, i) => {
      const text = reading(this.clean(c.values[k]), c.unit);
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
  readonly height = 184;
  private plots: Plot[] = [];
  private chosen: Plot[] = [];
  private readonly groups = element('div', 'groups');

  /** Below which values of a unit are shown as 0. */
  least: Least;
  /** What the plots stand over; null: time. */
  over: Column | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly series: Series,
    stages: [number, number][],
    private readonly wanted: Measured,
    private readonly wishes: Wished[],
  ) {
    this.stages = stages;
    this.least = leastOf(series);
    const first = element('div', 'groups');
    root.append(first);
    this.axis();
    root.append(this.groups);
    const {wishes: asked, groups, others} = this.all();
    for (const g of asked) this.plots.push(this.make(g, first));
    for (const g of groups) this.plots.push(this.make(g, this.groups));
    if (others.length > 0) this.chooser(others);
  }

  private all(): {wishes: Group[]; groups: Group[]; others: Column[]} {
    return {wishes: wished(this.series, this.wishes), ...group(this.series, this.least, this.wanted)};
  }

  private make(g: Group, into: HTMLElement): Plot {
    const box = element('section', 'plot');
    into.append(box);
    return new Plot(box, this.series, g, this);
  }

  /** The series has more rows. A plot that has other columns than before, for some are no longer zero, is made anew. */
  grow(stages: [number, number][]): void {
    this.stages = stages;
    this.least = leastOf(this.series);
    const {wishes, groups} = this.all();
    this.plots = [...wishes, ...groups].map((g, k) => {
      const old = this.plots.find((p) => p.isOf(g));
      if (old) return old.grow(g), old;
      const before = this.plots.find((p) => p.title === g.title);
      const fresh = this.make(g, this.groups);
      if (!before) return this.groups.insertBefore(fresh.root, this.groups.children[k - wishes.length]), fresh;
      before.root.replaceWith(fresh.root);
      fresh.takeAfter(before), before.destroy();
      return fresh;
    });
    for (const p of this.chosen) p.grow(p.group);
    this.setTime(this.time);
  }

  /** Which column the plots stand over. */
  private axis(): void {
    const field = element('label', 'over-field', 'Plots over');
    const select = element('select', '') as HTMLSelectElement;
    select.id = 'over';
    select.append(new Option('time', ''), ...this.series.columns.map((c, k) => new Option(label(c.name), String(k))));
    select.onchange = () => {
      this.over = select.value === '' ? null : this.series.columns[Number(select.value)];
      this.redraw();
    };
    field.append(select);
    this.root.append(field);
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
        this.plotChosen(
          below,
          others.filter((o) => picked.has(o)),
        );
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
      return new Plot(
        box,
        this.series,
        {title: list.length === 1 ? label(list[0].name) : 'Chosen', unit, columns: list},
        this,
      );
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
