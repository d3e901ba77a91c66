import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DirectoryService } from '../../audiences/directory/directory.service.js';
import { KeywordInsightsService } from '../../audiences/keyword-insights/keyword-insights.service.js';
import { User } from '../../auth/credentials/user.entity.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { throwErrors } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { readKeyword } from '../targeting-values/keywords.rules.js';
import type { ListSuggestions } from './targeting-suggestions.dto.js';

/** Suggests related targeting values, derived from the platform's posts and users. */
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

  /** Keywords of posts that contain the seeds. A fixed vocabulary fills the list if there are too few. */
  private keywords(seeds: readonly string[], count: number): Promise<string[]> {
    const keywords = seeds.flatMap((seed) => {
      const read = readKeyword('BROAD_KEYWORD', seed);
      return 'keyword' in read ? read.keyword.replace(/(^| )\+/g, '$1') : [];
    });
    return this.insights.relatedTo(keywords, count);
  }

  /** Users that followers of the seeds also follow, more often than users in general do. */
  private async users(seeds: readonly string[], count: number): Promise<string[]> {
    const known = await this.among(seeds);
    throwErrors(
      seeds
        .filter((id) => !known.has(id))
        .map((id) => invalid('targeting_values', `Expected the id of a user, got ${quotedValue(id)}`, { value: id })),
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
