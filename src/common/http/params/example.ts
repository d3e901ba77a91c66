const EXAMPLE = Symbol('example');

/**
 * For a DTO: a typical request; `{campaign_id}` stands for that id of the demo world. The document shows it, and can
 * only be generated if the service answers it with 2xx.
 */
export const Example =
  (params: Record<string, unknown>) =>
  (kind: new () => object): void => {
    Object.defineProperty(kind.prototype, EXAMPLE, { value: params });
  };

/** The example of a DTO; undefined when it declares none. */
export const exampleOf = (kind: { prototype: object }): Record<string, unknown> | undefined =>
  Object.hasOwn(kind.prototype, EXAMPLE)
    ? (kind.prototype as { [EXAMPLE]?: Record<string, unknown> })[EXAMPLE]
    : undefined;
