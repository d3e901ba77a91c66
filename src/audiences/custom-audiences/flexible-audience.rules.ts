import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { exclusive, invalid, missing, notAllowed, notFound } from '../../common/errors/catalogue.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';
import { namedIn, type GivenSegment, type NamedLeaf } from '../entities/segments.js';

export const nameInUse = (name: string, details?: string) =>
  invalid('name', 'Audience name already in use', { value: name, ...(details && { details }) });

/** What an operation says of the tree of a new audience: as `segments`, or itself being the outermost segment. */
export interface GivenTree extends GivenSegment {
  segments?: GivenSegment;
}

/** The parameters of an operation that are those of its outermost segment. */
export const ROOT_PARAMETERS = [
  'boolean_operator',
  'frequency',
  'frequency_comparator',
  'negate',
] as const satisfies readonly (keyof GivenTree)[];

/** `child_segments` without anything in them are as good as none. */
const hasChildren = ({ child_segments }: GivenTree) => child_segments !== undefined && child_segments.length > 0;

/** The tree has two places, of which a flexible audience needs one and a mobile one neither. */
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
  if (child_segments === undefined) return missing('child_segments', 'or segments, which holds them');
  if (!hasChildren(tree)) return invalid('child_segments', 'A minimum of 1 items must be provided for child_segments');
  return boolean_operator === undefined ? missing('boolean_operator') : undefined;
}

/** The outermost segment, from wherever it was said. */
export const rootOf = ({ segments, ...tree }: GivenTree): GivenSegment => segments ?? tree;

/** A flexible audience is as it was made. */
export const isImmutable = ({ audienceType }: Pick<Row<CustomAudience>, 'audienceType'>) => audienceType === 'FLEXIBLE';

/** What is told who would change it. */
export const immutable = (id: string) =>
  notAllowed('A flexible audience cannot be changed after it was made', { parameter: 'custom_audience_id', value: id });

type Changed = Partial<Pick<Row<CustomAudience>, 'name' | 'description'>>;

/** A change of an audience; of a flexible one it can say only what is so already. */
export function patchOf(audience: Row<CustomAudience>, { name, description }: Changed): Changed {
  const changes = { name, description };
  const isChanged = (['name', 'description'] as const).some(
    (each) => changes[each] !== undefined && changes[each] !== audience[each],
  );
  if (isChanged && isImmutable(audience)) throw immutable(audience.id);
  return changes;
}

/** The audiences that the tree names, from wherever it was said, and where. */
export const leavesNamedBy = ({ segments, child_segments = [] }: GivenTree): NamedLeaf[] =>
  segments ? namedIn(segments.child_segments ?? [], 'segments.child_segments') : namedIn(child_segments);

/**
 * Leaves are CRM or mobile audiences that the account owns or has been granted. `usable` are those it
 * can see, by id; the refusal of others is that of any audience that is not there.
 */
export const problemsOfLeaves = (
  tree: GivenTree,
  usable: (id: string) => Pick<Row<CustomAudience>, 'audienceType'> | undefined,
  accountId: string,
): ApiError[] =>
  leavesNamedBy(tree).flatMap(({ id, place }) => {
    const audience = usable(id.toLowerCase());
    if (!audience) return [notFound('Custom Audience', place, id, accountId)];
    if (audience.audienceType !== 'FLEXIBLE') return [];
    return [
      invalid(place, `Expected a CRM or MOBILE_AUDIENCE audience, got a FLEXIBLE one for ${place}`, { value: id }),
    ];
  });

/**
 * What is told an operation that gives an audience a name which another one, changed by the same batch, has in the store.
 * All of a batch is stored by one statement, in no order: a name is free for a new audience where its former one is
 * deleted before. Names of audiences that the batch does not touch are the unique index's affair.
 */
export function problemOfName(
  name: string | undefined,
  touched: Iterable<Pick<Row<CustomAudience>, 'id' | 'name'>>,
  { id, gone }: { id?: string; gone: ReadonlySet<string> },
): ApiError[] {
  const holder = [...touched].find((each) => each.name === name && each.id !== id);
  if (!holder || (id === undefined && gone.has(holder.id))) return [];
  return [nameInUse(holder.name, 'it is that of another audience of the batch as it was before')];
}
