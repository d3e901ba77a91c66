import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { instantiate, validateCompiled } from '../../src/common/http/params/compiled-validation.js';
import { Field, type FieldRules, type Kind } from '../../src/common/http/params/fields.js';
import { knownParams, readParams } from '../../src/common/http/params/params.js';
import { parameterErrorsOf } from '../../src/common/http/params/refusals.js';

/** Fails unless class-transformer and class-validator make of what was sent what their compiled metadata does. */
export function expectAgreement(kind: Type<object>, raw: Record<string, unknown>, hasRepeats = false): void {
  const given = knownParams(kind, raw, hasRepeats);
  const [own, theirs] = [instantiate(kind, given), plainToInstance(kind, given, { exposeUnsetFields: false })];
  expect(JSON.stringify(own)).toBe(JSON.stringify(theirs));
  const told = (found: ReturnType<typeof validateSync>) =>
    parameterErrorsOf(kind, found, given).map(({ name, problems }) => [
      name,
      problems.map((problem) => problem.toBody()),
    ]);
  const found = validateCompiled(own);
  expect(told(found)).toEqual(told(validateSync(theirs, { dismissDefaultMessages: true })));
  // what stands for a part that is refused holds a function of its own
  if (found.length === 0) expect(own).toEqual(theirs);
}

/** Reads one parameter of a kind: its value, or why it is refused. */
export function reading(kind: Kind, rules: FieldRules = {}) {
  const classes = new Map<string, Type<Record<string, unknown>>>();
  return (given: unknown, name: string): unknown => {
    const known = classes.get(name);
    const One =
      known ??
      class implements Record<string, unknown> {
        [name: string]: unknown;
      };
    if (!known) Field(kind, rules)(One.prototype as object, name);
    classes.set(name, One);
    const { params, refused } = readParams(One, { [name]: given });
    return refused ?? params[name];
  };
}
