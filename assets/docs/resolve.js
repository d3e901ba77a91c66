/**
 * Puts what is referred to in its place, for one part of the document. Swagger UI's own resolver reads the whole document anew
 * for every operation that is opened, which takes most of a second; ours refers to nothing outside itself.
 *
 * @param document the OpenAPI document
 * @param path where the part is, as a list of names
 * @returns what Swagger UI expects of its resolver: the part, with `$$ref` where a reference was, and the errors
 */
export function resolveSubtree(document, path) {
  const at = (names) => names.reduce((part, name) => part?.[name], document);
  const inPlace = (value, within) => {
    if (Array.isArray(value)) return value.map((each) => inPlace(each, within));
    if (value === null || typeof value !== 'object') return value;
    const { $ref, ...own } = value;
    const rest = Object.fromEntries(Object.entries(own).map(([name, each]) => [name, inPlace(each, within)]));
    if (typeof $ref !== 'string') return rest;
    // What contains itself stays a reference, and is opened by a click.
    if (within.includes($ref)) return { $ref, ...rest };
    return { ...inPlace(at(namesOf($ref)), [...within, $ref]), ...rest, $$ref: $ref };
  };
  return { spec: inPlace(at(path), []), errors: [] };
}

/** The names of a JSON pointer in a reference: `#/paths/~1accounts/get`. */
const namesOf = ($ref) =>
  $ref
    .slice(2)
    .split('/')
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));
