/** The product catalog of a user, and some of its sets. */
export interface OwnProductSets {
  /** Undefined if the user has none. */
  catalogId?: string;
  setIds: ReadonlySet<string>;
}
