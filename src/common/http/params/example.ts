const EXAMPLE = Symbol('example');

/**
 * For a DTO: what a typical request says; `{campaign_id}` stands for that id of the demo world. The document shows it, and is
 * only made if the service answers it with 2xx.
 */
export const Example =
  (params: Record<string, unknown>) =>
  (kind: new () => object): void => {
    Object.defineProperty(kind.prototype, EXAMPLE, { value: params });
  };

/** What a typical request with these parameters says; undefined where its DTO does not tell. */
export const exampleOf = (kind: { prototype: object }): Record<string, unknown> | undefined =>
  Object.hasOwn(kind.prototype, EXAMPLE)
    ? (kind.prototype as { [EXAMPLE]?: Record<string, unknown> })[EXAMPLE]
    : undefined;
