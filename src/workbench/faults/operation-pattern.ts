/** A method and the segments of a path, in which null stands for any segment. */
interface RoutePattern {
  method: string;
  segments: (string | null)[];
}

/** The operation of a fault: the id of an operation, or a method and a path. */
export type OperationPattern = { id: string } | RoutePattern;

/** A request as a pattern sees it. */
export interface OperationRequest {
  /** The id of its operation. */
  id: string;
  method: string;
  /** Without its query. */
  path: string;
}

/** Segments of any value: `*`, and a parameter as the documentation shows it. */
const ANY = /^(\*|:\w+|\{\w+\})$/;

/** Reads `createCampaign` or `POST /12/accounts/*\/campaigns`. */
export function readOperation(text: string): OperationPattern {
  const [, method, path] = /^([A-Za-z]+) +(\/\S*)$/.exec(text) ?? [];
  if (method === undefined) return { id: text };
  return {
    method: method.toUpperCase(),
    segments: segmentsOf(path).map((each) => (ANY.test(each) ? null : each.toLowerCase())),
  };
}

export function matchesOperation(pattern: OperationPattern, { id, method, path }: OperationRequest): boolean {
  if ('id' in pattern) return pattern.id === id;
  if (pattern.method !== method) return false;
  const segments = segmentsOf(path);
  return (
    segments.length === pattern.segments.length &&
    pattern.segments.every((each, i) => each === null || each === segments[i].toLowerCase())
  );
}

/** True if the operation has a route of these, as `METHOD /path/:parameter`, or one of these ids. */
export function isKnownOperation(
  pattern: OperationPattern,
  operations: readonly { id: string; routes: readonly string[] }[],
): boolean {
  if ('id' in pattern) return operations.some(({ id }) => id === pattern.id);
  return operations.some(({ routes }) =>
    routes.some((route) => {
      const [method, path] = route.split(' ');
      const segments = segmentsOf(path);
      return (
        method === pattern.method &&
        segments.length === pattern.segments.length &&
        pattern.segments.every((each, i) => each === null || segments[i].startsWith(':') || each === segments[i])
      );
    }),
  );
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1);
