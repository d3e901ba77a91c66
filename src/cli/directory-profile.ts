import type { DirectoryUser } from '../audiences/directory/directory.entity.js';
import { IDENTIFIER_KINDS } from '../audiences/entities/audience-identifier.entity.js';
import {
  AGE_BUCKETS,
  DIRECTORY_GENDERS,
  LIST_TRAITS,
  fieldOf,
  platformsOf,
  readTrait,
} from '../audiences/directory/directory-traits.rules.js';
import type { User } from '../auth/credentials/user.entity.js';
import { wireTime } from '../common/db/postgres/type-parsers.js';
import type { Row } from '../common/db/query/rows.js';

/** A user's directory entry in the fields of an import, with the number of identifiers instead of their values. */
export function presentKnown(
  { id, username, name }: Row<User>,
  { known, identifiers }: { known: Row<DirectoryUser>; identifiers: { kind: number; count: number }[] },
) {
  const traits = known.traits.map(readTrait);
  const lists = LIST_TRAITS.map((trait): [string, string[]] => [
    fieldOf(trait),
    traits.flatMap((each) => (each.trait === trait ? [each.value] : [])),
  ]);
  return {
    username,
    user_id: id,
    name,
    active_at: wireTime(known.activeAt),
    country: known.country,
    language: known.language,
    gender: known.gender === null ? null : DIRECTORY_GENDERS[known.gender - 1],
    age_bucket: known.ageBucket === null ? null : AGE_BUCKETS[known.ageBucket],
    platforms: platformsOf(known.platforms),
    ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
    follows: known.follows.map(String),
    identifiers: Object.fromEntries(identifiers.map(({ kind, count }) => [IDENTIFIER_KINDS[kind], count])),
  };
}
