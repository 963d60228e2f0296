// Numbers and units for people.

const prefixes: [number, string][] = [
  [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p'],
];

/** Four significant digits at most, no trailing zeros, plain where plain is readable. */
export function number(v: number, digits = 4): string {
  if (!Number.isFinite(v)) return Number.isNaN(v) ? '–' : v > 0 ? '∞' : '−∞';
  if (v === 0) return '0';
  const a = Math.abs(v);
  const text = a >= 1e-3 && a < 1e6 ? trim(v.toPrecision(digits)) : v.toExponential(digits - 2);
  const plain = /e/.test(text) && a >= 1e-3 && a < 1e6 ? String(Number(text)) : text;
  return plain.replace(/e([+-])0*(\d+)$/, (_, s, e) => `e${s === '-' ? '−' : ''}${e}`).replace(/^-/, '−');
}

function trim(text: string): string {
  return /\.|e/.test(text) ? text.replace(/\.?0+($|e)/, '$1') : text;
}

const prefixable = ['N', 'J', 's', 'W', 'Pa', 'm', 'm/s', 'N m', 'rad/s', 'Hz', 'kg m/s', 'kg m^2/s', 'kg/s', 'kg'];

/** What a value of this size is multiplied by, and the unit with its prefix: 12300 N -> 1e-3, kN. */
export function prefixed(size: number, unit: string): {scale: number; unit: string} {
  const a = Math.abs(size);
  if (!(a > 0) || !Number.isFinite(a) || !prefixable.includes(unit)) return {scale: 1, unit};
  if (unit.startsWith('kg')) {
    // Grams have the prefixes.
    const {scale, unit: grams} = a >= 1 ? {scale: 1, unit: 'kg'} : prefixOf(1e3 * a, 'g');
    return {scale: a >= 1 ? 1 : 1e3 * scale, unit: grams + unit.slice(2)};
  }
  return prefixOf(['s', 'm', 'm/s', 'rad/s'].includes(unit) ? Math.min(a, 1) : a, unit);
}
function prefixOf(a: number, unit: string): {scale: number; unit: string} {
  const [size, prefix] = prefixes.find(([s]) => a >= s * 0.9995) ?? [1, ''];
  return {scale: 1 / size, unit: prefix + unit};
}

/** 0.0213 m -> 2.13 cm; other units take a prefix: 12300 N -> 12.3 kN. */
export function quantity(v: number, unit: string, digits = 3): string {
  if (!Number.isFinite(v)) return `– ${unit}`;
  if (unit === 'm') {
    const a = Math.abs(v);
    if (a === 0 || a >= 1) return `${number(v, digits)} m`;
    if (a >= 0.01) return `${number(v * 100, digits)} cm`;
    if (a >= 1e-4) return `${number(v * 1000, digits)} mm`;
    return `${number(v * 1e6, digits)} µm`;
  }
  if (unit === 's' && Math.abs(v) >= 1e3) return `${whole(v)} s`;
  const p = prefixed(v, unit);
  return `${number(v * p.scale, digits)} ${p.unit}`.trim();
}

/** 1234567 -> 1 234 567, with narrow spaces. */
export function whole(v: number): string {
  return Math.round(v).toString().replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

export function bytes(v: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let k = 0;
  while (Math.abs(v) >= 1024 && k < units.length - 1) (v /= 1024), ++k;
  return `${number(v, 3)} ${units[k]}`;
}

export function duration(s: number): string {
  if (s < 60) return `${number(s, 3)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

/** 1, 2 or 5 times a power of ten, at most v. */
export function niceBelow(v: number): number {
  const p = 10 ** Math.floor(Math.log10(v));
  return (v / p >= 5 ? 5 : v / p >= 2 ? 2 : 1) * p;
}
