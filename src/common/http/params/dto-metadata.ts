import type { Type } from '@nestjs/common';
import { registerDecorator } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';
import { areValid } from './compiled-validation.js';

/** The time zone in which dates begin. Times without a zone are always in UTC. */
export type DatesIn = 'UTC' | 'the time zone of the account';

/** A parameter of a DTO. */
export interface DeclaredField {
  name: string;
  /** Takes a list, so that a repeated key is a list. */
  isList: boolean;
  /** Unreadable values become an `UnreadableValue`. */
  ignorable: boolean;
  /** Of times: in whose time zone a date begins that has neither a time nor a zone. */
  datesIn?: DatesIn;
  /** Reads a large value in advance, in slices, so that reading it afterwards is fast. */
  prepare?: (given: unknown, name: string) => Promise<void>;
}

/** A constraint between parameters, which class-validator registers for a property of this name. */
export interface FieldRule {
  name: string;
  /** `at`: the place of a parameter, which differs from its name inside another parameter. */
  check: (params: never, at: (name: string) => string) => ApiError | ApiError[] | undefined;
}

interface Declared {
  fields: Map<string, DeclaredField>;
  rules: FieldRule[];
  /** The number of inherited rules. */
  inherited: number;
  /** The fields as an array, which is faster to iterate. */
  list: DeclaredField[];
}

const DECLARED = Symbol('declared');

/** The declarations of a DTO, those of its parents first. */
function declaredBy(prototype: object): Declared {
  const known = (prototype as { [DECLARED]?: Declared })[DECLARED];
  if (known && Object.hasOwn(prototype, DECLARED)) return known;
  const { rules = [], list = [] } = known ?? {};
  const own = { fields: new Map(known?.fields), rules: [...rules], inherited: rules.length, list };
  Object.defineProperty(prototype, DECLARED, { value: own, configurable: true });
  return own;
}

export function declareField(prototype: object, field: DeclaredField): void {
  const declared = declaredBy(prototype);
  declared.fields.set(field.name, field);
  declared.list = [...declared.fields.values()];
}

/** The parameters that a DTO declares. */
export const declaredFields = (prototype: object): readonly DeclaredField[] => declaredBy(prototype).list;

/** The rules between them. */
export const declaredRules = (prototype: object): readonly FieldRule[] => declaredBy(prototype).rules;

const isFine = (found: ReturnType<FieldRule['check']>) =>
  found === undefined || (Array.isArray(found) && found.length === 0);

/**
 * For a DTO: a rule between its parameters. `needs` names every parameter that `check` reads. The rule runs when all of
 * these are valid, even if others are not, so that one response names every problem. It returns the errors.
 */
export const Rule = <P extends object, const K extends keyof P & string>(
  needs: readonly K[],
  check: (params: P, at: (name: string) => string) => ReturnType<FieldRule['check']>,
): [Exclude<keyof P, K>] extends [never] ? (kind: new () => P) => void : never =>
  // A parameter of `check` that `needs` omits makes the result unusable as a decorator.
  ((kind: Type<P>) => {
    const { rules, inherited } = declaredBy(kind.prototype as object);
    const name = `rule ${rules.length} of ${kind.name}`;
    // Decorators apply from the last to the first.
    rules.splice(inherited, 0, { name, check });
    const validate = (_: unknown, { object }: { object: object }) =>
      !areValid(object, needs) || isFine(check(object as P, (each) => each));
    registerDecorator({
      name: 'rule',
      target: kind,
      propertyName: name,
      validator: { validate: (value, args) => validate(value, args!) },
    });
  }) as never;

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
