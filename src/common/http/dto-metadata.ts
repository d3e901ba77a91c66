import type { ApiError } from '../errors/api-error.js';
import type { Reader } from './readers.js';

/** A parameter of a DTO. */
export interface Field {
  name: string;
  read: Reader;
  required: boolean;
  /** Takes a list, so that a repeated key is one. */
  several: boolean;
  /** An empty value, which the reader gives as null, is echoed, and otherwise as if nothing was sent. */
  absentIfEmpty: boolean;
}

/** Something that has to hold between parameters. */
export interface FieldRule {
  needs: readonly string[];
  check: (params: never) => ApiError | undefined;
}

interface Declared {
  fields: Map<string, Field>;
  rules: FieldRule[];
  /** How many of the rules are of parents. */
  inherited: number;
  /** The fields once more, in the form that is quickest to go through. */
  list: Field[];
}

const DECLARED = Symbol('declared');

/** What a DTO declares, that of its parents first. */
function declaredBy(prototype: object): Declared {
  const known = (prototype as { [DECLARED]?: Declared })[DECLARED];
  if (known && Object.hasOwn(prototype, DECLARED)) return known;
  const { rules = [], list = [] } = known ?? {};
  const own = { fields: new Map(known?.fields), rules: [...rules], inherited: rules.length, list };
  Object.defineProperty(prototype, DECLARED, { value: own, configurable: true });
  return own;
}

export function declareField(prototype: object, field: Field): void {
  const declared = declaredBy(prototype);
  declared.fields.set(field.name, field);
  declared.list = [...declared.fields.values()];
}

/** The parameters that a DTO declares. */
export const fieldsOf = (prototype: object): readonly Field[] => declaredBy(prototype).list;

/** The rules between them. */
export const rulesOf = (prototype: object): readonly FieldRule[] => declaredBy(prototype).rules;

/**
 * For a DTO: a rule between its parameters. `needs` names every parameter that `check` looks at. It is asked whenever none
 * of these was refused, also when others were, so that one answer names every problem; it returns what is wrong.
 */
export const Rule = <P extends object, const K extends keyof P & string>(
  needs: readonly K[],
  check: (params: P) => ApiError | undefined,
): [Exclude<keyof P, K>] extends [never] ? (kind: new () => P) => void : never =>
  // What `check` takes and `needs` leaves out makes the result no decorator.
  ((kind: new () => P) => {
    const { rules, inherited } = declaredBy(kind.prototype as object);
    // Decorators are applied from the last one to the first.
    rules.splice(inherited, 0, { needs, check });
  }) as never;
