// What a server of this page (`scree view --live`) is asked, and how it stands with it.
import type {Part} from './data.ts';

/** viewer/README.md */
export interface News {
  edition: number;
  first: number;  // of the parts
  parts: {header: string; particles: string; frames: string[]}[];
  series: {version: number; first: number; rows: number; text: string} | null;
  about: {version: number; text: string} | null;
  state: {problem: string | null; writes: boolean; age: number | null; frames: number};
}

export function partsOf(news: News): Part[] {
  return news.parts.map(({header, particles, frames}) => ({header, particles, frame: (k) => frames[k]}));
}

const period = 1000;       // ms between two questions
const patience = 120_000;  // ms for an answer: the first one of a long run is packed meanwhile

export class Feed {
  private known = {edition: 0, parts: 0, series: 0, rows: 0, about: 0};
  private heard = NaN;   // when the last answer came, ms
  private silent = NaN;  // since when there is none
  state: News['state'] | null = null;
  /** Takes an answer in; what it throws is a fault of the page or of the data, not of the connection. */
  onNews: (news: News) => Promise<void> = async () => {};
  onFault: (e: unknown) => void = () => {};
  onState: () => void = () => {};

  get edition(): number {
    return this.known.edition;
  }

  /** Frames of the edition are not to be had yet: all of it is asked for again. */
  private accept(news: News): void {
    const {edition, first, parts, series, about} = news;
    if (parts.length > 0 || edition === this.known.edition)
      Object.assign(this.known, {edition, parts: first + parts.length});
    if (series) Object.assign(this.known, {series: series.version, rows: series.rows});
    if (about) this.known.about = about.version;
  }

  private async ask(): Promise<News> {
    const query = new URLSearchParams(Object.entries(this.known).map(([k, v]) => [k, String(v)]));
    const answer = await fetch(`news?${query}`, {cache: 'no-store', signal: AbortSignal.timeout(patience)});
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return (await answer.json()) as News;
  }

  async run(): Promise<never> {
    for (;;) {
      let news: News | null = null;
      try {
        news = await this.ask();
        [this.heard, this.silent, this.state] = [performance.now(), NaN, news.state];
      } catch {
        if (Number.isNaN(this.silent)) this.silent = performance.now();
      }
      try {
        if (news) await this.onNews(news), this.accept(news);
      } catch (e) {
        this.onFault(e);
      }
      this.onState();
      await new Promise((done) => setTimeout(done, period));
    }
  }

  /** Seconds without an answer; null: the server answers. */
  get silence(): number | null {
    return Number.isNaN(this.silent) ? null : (performance.now() - (this.heard || this.silent)) / 1000;
  }

  /** Seconds since the newest data were written; null: there are none. */
  get age(): number | null {
    const age = this.state?.age ?? null;
    return age === null ? null : age + (performance.now() - this.heard) / 1000;
  }
}
