// Colour scales, as tables of 256 colours that the shaders look up.

export type Rgb = [number, number, number];

const hex = (text: string): Rgb => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)) as Rgb;

const scales = {
  speed: ['#6c8dad', '#7aaac0', '#9fcabf', '#ece0a4', '#f2a957', '#d9513a'],
  size: ['#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b'],
  id: ['#5b6bb0', '#4f9bb0', '#5fae84', '#b7b557', '#d98f4e', '#c4566b', '#8a5aa3'],
  forceLight: ['#e9b44c', '#dd7a3b', '#c23b3f', '#7d1a4a', '#3c0f3c'],
  forceDark: ['#5a4fa0', '#b04a86', '#ee6c5a', '#fbb45c', '#fff3b8'],
};
export type Scale = keyof typeof scales;

const categories = ['#c8674a', '#5d9393', '#dba653', '#6f84b3', '#93a35c', '#a8707c', '#c9ad8c', '#53707f', '#b58bb0', '#7da37f', '#d98c7a', '#8c8c96'];

export function category(i: number): string {
  return categories[i % categories.length];
}

export function sample(scale: Scale, x: number): Rgb {
  const stops = scales[scale];
  const s = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(s), stops.length - 2);
  const a = hex(stops[i]);
  const b = hex(stops[i + 1]);
  return a.map((v, k) => v + (b[k] - v) * (s - i)) as Rgb;
}

export function scaleTable(scale: Scale): Uint8Array {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) table.set([...sample(scale, i / 255).map(Math.round), 255], 4 * i);
  return table;
}

export function categoryTable(): Uint8Array {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) table.set([...hex(category(i)), 255], 4 * i);
  return table;
}

export function gradient(scale: Scale): string {
  return `linear-gradient(to right, ${scales[scale].join(', ')})`;
}
