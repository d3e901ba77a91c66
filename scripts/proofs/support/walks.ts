import type { BenchAccount } from '../../../bench/world.js';
import type { Cluster } from './cluster.js';
import { type Answer, ask, signed } from './requests.js';
import { STILL_NAME } from './campaign-histories.js';

interface CampaignPage {
  data: { name: string }[];
  next_cursor: string | null;
}

/** Walks through the list of an account's campaigns again and again, page by page, while others change some of them. */
export class Walks {
  /** Walks that came to the end. */
  count = 0;
  /** Walks that did not find each unchanged campaign exactly once. */
  wrong = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly account: BenchAccount,
    /** How many campaigns nobody changes. */
    private readonly still: number,
  ) {}

  async walk(until: number): Promise<void> {
    while (Date.now() < until) {
      const names = await this.once();
      if (!names) continue;
      this.count++;
      const still = names.filter((name) => name.startsWith(STILL_NAME));
      if (still.length !== this.still || new Set(still).size !== this.still) this.wrong++;
    }
  }

  /** The names of one walk; undefined if a page was not answered. */
  private async once(): Promise<string[] | undefined> {
    const names: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page++) {
      const answer: Answer | undefined = await this.page(page, cursor);
      if (answer?.status !== 200) return undefined;
      const { data, next_cursor } = JSON.parse(answer.body) as CampaignPage;
      names.push(...data.map(({ name }) => name));
      cursor = next_cursor;
    }
    return names;
  }

  private page(page: number, cursor: string): Promise<Answer | undefined> {
    const { world, host, replicas } = this.cluster;
    const next = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const target = `/12/accounts/${this.account.id}/campaigns?count=20&sort_by=created_at-asc${next}`;
    return ask(replicas[page % replicas.length].port, signed(host, world.pen, 'GET', target)).catch(() => undefined);
  }
}
