import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { exclusive, invalid, missing, notAllowed, notFound } from '../../common/errors/catalogue.js';
import { nameInUse } from '../audiences.errors.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { namedIn, type GivenSegment, type NamedLeaf } from '../entities/segments.js';

/** The tree of a new audience in an operation: `segments`, or the operation itself as the outermost segment. */
export interface GivenTree extends GivenSegment {
  segments?: GivenSegment;
}

/** The parameters of an operation that belong to its outermost segment. */
export const ROOT_PARAMETERS = [
  'boolean_operator',
  'frequency',
  'frequency_comparator',
  'negate',
] as const satisfies readonly (keyof GivenTree)[];

/** Empty `child_segments` count as absent. */
const hasChildren = ({ child_segments }: GivenTree) => child_segments !== undefined && child_segments.length > 0;

/** The tree has two possible places. A flexible audience needs exactly one; a mobile audience allows neither. */
export function problemOfTree(audienceType: string, tree: GivenTree): ApiError | undefined {
  const { segments, child_segments, boolean_operator } = tree;
  const ofRoot = ROOT_PARAMETERS.find((name) => tree[name] !== undefined);
  if (audienceType !== 'FLEXIBLE') {
    const name = segments !== undefined ? 'segments' : hasChildren(tree) ? 'child_segments' : ofRoot;
    if (!name) return undefined;
    return invalid(name, `setting ${name} is not allowed`, { details: 'only flexible audiences have segments' });
  }
  if (segments !== undefined) {
    const other = hasChildren(tree) ? 'child_segments' : ofRoot;
    return other && exclusive('segments', other);
  }
  if (child_segments === undefined) return missing('child_segments', 'or segments, which contains them');
  if (!hasChildren(tree)) return invalid('child_segments', 'A minimum of 1 items must be provided for child_segments');
  return boolean_operator === undefined ? missing('boolean_operator') : undefined;
}

/** The outermost segment, from either place. */
export const rootOf = ({ segments, ...tree }: GivenTree): GivenSegment => segments ?? tree;

type Typed = Pick<Row<CustomAudience>, 'id' | 'audienceType'>;

/** Flexible audiences cannot change, and those of websites only with their tag. */
export const isImmutable = ({ audienceType }: Typed) => audienceType === 'FLEXIBLE' || audienceType === 'WEB';

/** The error for a change of such an audience. */
export const immutable = ({ id, audienceType }: Typed) =>
  audienceType === 'WEB'
    ? ofTag(id)
    : notAllowed('A flexible audience cannot be changed after its creation', {
        parameter: 'custom_audience_id',
        value: id,
      });

const ofTag = (id: string) =>
  notAllowed('An audience of a website has the name and the visitors of its web event tag', {
    parameter: 'custom_audience_id',
    value: id,
    details: 'rename or delete the tag, or set its retargeting_enabled to false',
  });

/** Rejects the deletion of an audience that ends with its tag. */
export function requireDeletable({ id, audienceType }: Typed): void {
  if (audienceType === 'WEB') throw ofTag(id);
}

/** Rejects an upload of users to an audience that has others. */
export function requireUploadable({ id, audienceType }: Typed): void {
  if (audienceType === 'WEB') throw ofTag(id);
  if (audienceType === 'FLEXIBLE')
    throw notAllowed('A flexible audience consists of other audiences and accepts no users', {
      parameter: 'custom_audience_id',
      value: id,
    });
}

type Changed = Partial<Pick<Row<CustomAudience>, 'name' | 'description'>>;

/** The change of an audience. For a flexible audience it may only repeat the current values. */
export function patchOfAudience(audience: Row<CustomAudience>, { name, description }: Changed): Changed {
  const changes = { name, description };
  const isChanged = (['name', 'description'] as const).some(
    (each) => changes[each] !== undefined && changes[each] !== audience[each],
  );
  if (isChanged && isImmutable(audience)) throw immutable(audience);
  return changes;
}

/** The audiences that the tree names, in either place, with their positions. */
export const leavesNamedBy = ({ segments, child_segments = [] }: GivenTree): NamedLeaf[] =>
  segments ? namedIn(segments.child_segments ?? [], 'segments.child_segments') : namedIn(child_segments);

/**
 * Leaves are CRM or mobile audiences that the account owns or that are shared with it. `usable` are those it can see,
 * by id. Other audiences get the error of an unknown audience.
 */
export const problemsOfLeaves = (
  tree: GivenTree,
  usable: (id: string) => Pick<Row<CustomAudience>, 'audienceType'> | undefined,
  accountId: string,
): ApiError[] =>
  leavesNamedBy(tree).flatMap(({ id, place }) => {
    const audience = usable(id.toLowerCase());
    if (!audience) return [notFound('Custom Audience', place, id, accountId)];
    const type = audience.audienceType;
    if (type === 'CRM' || type === 'MOBILE_AUDIENCE') return [];
    return [
      invalid(place, `Expected a CRM or MOBILE_AUDIENCE audience, got a ${type} one for ${place}`, { value: id }),
    ];
  });

/**
 * The error for an operation that gives an audience a name which another audience changed by the same batch has in the
 * database. One statement stores the batch in no order: a new audience can take a name only if its former holder is
 * deleted earlier. The unique index checks the names of all other audiences.
 */
export function problemOfName(
  name: string | undefined,
  touched: Iterable<Pick<Row<CustomAudience>, 'id' | 'name'>>,
  { id, gone }: { id?: string; gone: ReadonlySet<string> },
): ApiError[] {
  const holder = [...touched].find((each) => each.name === name && each.id !== id);
  if (!holder || (id === undefined && gone.has(holder.id))) return [];
  return [nameInUse(holder.name, 'another audience of the batch had this name before the batch')];
}
