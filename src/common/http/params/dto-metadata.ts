import type { Type } from '@nestjs/common';
import { registerDecorator } from 'class-validator';
import type { ApiError } from '../../errors/api-error.js';
import { areValid } from './compiled-validation.js';

/** A parameter of a DTO. */
export interface Field {
  name: string;
  /** Takes a list, so that a repeated key is one. */
  several: boolean;
  /** What cannot be read of it is an `UnreadValue`. */
  ignorable: boolean;
  /** Reads a large value beforehand, a slice at a time, so that reading it afterwards takes no time. */
  prepare?: (given: unknown, name: string) => Promise<void>;
}

/** Something that has to hold between parameters; class-validator knows it as a constraint of a property of this name. */
export interface FieldRule {
  name: string;
  /** `at`: the place of a parameter, which differs from its name inside of another one. */
  check: (params: never, at: (name: string) => string) => ApiError | ApiError[] | undefined;
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

const isFine = (found: ReturnType<FieldRule['check']>) =>
  found === undefined || (Array.isArray(found) && found.length === 0);

/**
 * For a DTO: a rule between its parameters. `needs` names every parameter that `check` looks at. It is asked whenever none
 * of these was refused, also when others were, so that one answer names every problem; it returns what is wrong.
 */
export const Rule = <P extends object, const K extends keyof P & string>(
  needs: readonly K[],
  check: (params: P, at: (name: string) => string) => ReturnType<FieldRule['check']>,
): [Exclude<keyof P, K>] extends [never] ? (kind: new () => P) => void : never =>
  // What `check` takes and `needs` leaves out makes the result no decorator.
  ((kind: Type<P>) => {
    const { rules, inherited } = declaredBy(kind.prototype as object);
    const name = `rule ${rules.length} of ${kind.name}`;
    // Decorators are applied from the last one to the first.
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
