import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DirectoryService } from '../../audiences/directory/directory.service.js';
import { KeywordInsightsService } from '../../audiences/keyword-insights/keyword-insights.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { refuseAny } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { shown } from '../../common/http/params/refusals.js';
import { readKeyword } from '../targeting-values/keywords.rules.js';
import type { ListSuggestions } from './targeting-suggestions.dto.js';

/** What goes with what is targeted already, as the platform's own posts and users tell it. */
@Injectable()
export class TargetingSuggestions {
  constructor(
    private readonly db: DataSource,
    private readonly insights: KeywordInsightsService,
    private readonly directory: DirectoryService,
  ) {}

  list({ suggestion_type, targeting_values: seeds, count }: ListSuggestions): Promise<string[]> {
    return suggestion_type === 'KEYWORD' ? this.keywords(seeds, count) : this.users(seeds, count);
  }

  /** What is said in the posts that say them; topped up from a fixed vocabulary where that is little. */
  private keywords(seeds: readonly string[], count: number): Promise<string[]> {
    const keywords = seeds.flatMap((seed) => {
      const read = readKeyword('BROAD_KEYWORD', seed);
      return 'keyword' in read ? read.keyword.replace(/(^| )\+/g, '$1') : [];
    });
    return this.insights.relatedTo(keywords, count);
  }

  /** Whom followers of these also follow, and more often than people in general do. */
  private async users(seeds: readonly string[], count: number): Promise<string[]> {
    const known = await this.among(seeds);
    refuseAny(
      seeds
        .filter((id) => !known.has(id))
        .map((id) => invalid('targeting_values', `Expected the id of a user, got ${shown(id)}`, { value: id })),
    );
    const followed = await this.directory.alsoFollowed(seeds, count);
    const there = await this.among(followed);
    return followed.filter((id) => there.get(id)?.suspendedAt === null);
  }

  private async among(ids: readonly string[]): Promise<ReadonlyMap<string, Row<User>>> {
    const found = ids.length > 0 ? await rows(this.db.manager, User).whereIn('id', ids).getMany() : [];
    return new Map(found.map((user) => [user.id, user]));
  }
}
