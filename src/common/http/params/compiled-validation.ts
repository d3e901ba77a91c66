import type { Type } from '@nestjs/common';
import { TransformationType, type ClassTransformOptions, type TransformFnParams } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import {
  getMetadataStorage,
  ValidationError,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { ConstraintContext } from './constraints.js';

/**
 * The conversions of class-transformer and the constraints of class-validator, as lists. Metadata and functions are
 * those of the libraries. Only the traversal is different, many times faster than `plainToInstance` and `validateSync`,
 * which collect the metadata again for every object. A test compares the results of both.
 */

export interface Constraint {
  name: string;
  /** Applies to each element of a list. */
  each: boolean;
  args: ValidationArguments;
  said: ConstraintContext;
  validator: ValidatorConstraintInterface;
}

type Condition = (object: object, value: unknown) => boolean;

export interface Property {
  name: string;
  conversions: ((params: TransformFnParams) => unknown)[];
  /** Its constraints apply when all of these hold. */
  conditions: Condition[];
  constraints: Constraint[];
  isNested: boolean;
}

const compiled = new WeakMap<object, Map<string, Property>>();

/** The constrained properties of a class, by name. */
export function propertiesOf(kind: Type<object>): ReadonlyMap<string, Property> {
  const known = compiled.get(kind);
  if (known) return known;
  const properties = new Map<string, Property>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(kind, '', false, false)) {
    const { propertyName: name, type } = metadata;
    const property = properties.get(name) ?? newProperty(kind, name);
    properties.set(name, property);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) property.conditions.push(metadata.constraints[0] as Condition);
    else if (type === ValidationTypes.NESTED_VALIDATION) property.isNested = true;
    else
      for (const { instance, name: own } of getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls))
        property.constraints.push({
          name: own,
          each: metadata.each,
          args: {
            constraints: metadata.constraints,
            property: name,
            targetName: kind.name,
            object: {},
            value: undefined,
          },
          said: (metadata.context ?? {}) as ConstraintContext,
          validator: instance,
        });
  }
  compiled.set(kind, properties);
  return properties;
}

const newProperty = (kind: Type<object>, name: string): Property => ({
  name,
  conversions: defaultMetadataStorage
    .findTransformMetadatas(kind, name, TransformationType.PLAIN_TO_CLASS)
    .map(({ transformFn }) => transformFn),
  conditions: [],
  constraints: [],
  isNested: false,
});

const OPTIONS: ClassTransformOptions = {};

/** Equals `plainToInstance` for an object that only has fields of the class. */
export function instantiate<T extends object>(kind: Type<T>, given: Record<string, unknown>): T {
  const instance = new kind() as Record<string, unknown>;
  const properties = propertiesOf(kind);
  for (const name in given) {
    let value = given[name];
    if (value === undefined) continue;
    for (const convert of properties.get(name)?.conversions ?? [])
      value = convert({ value, key: name, obj: given, type: TransformationType.PLAIN_TO_CLASS, options: OPTIONS });
    if (value !== undefined) instance[name] = value;
  }
  return instance as T;
}

/** Equals `validateSync` for an instance. */
export function validateCompiled(instance: object): ValidationError[] {
  const errors: ValidationError[] = [];
  for (const property of propertiesOf(instance.constructor as Type<object>).values()) {
    const error = errorOf(property, instance);
    if (error) errors.push(error);
  }
  return errors;
}

/** Whether these properties are valid. */
export const areValid = (instance: object, names: readonly string[]): boolean =>
  names.every((name) => {
    const property = propertiesOf(instance.constructor as Type<object>).get(name);
    return !property || !errorOf(property, instance);
  });

function errorOf(property: Property, instance: object): ValidationError | undefined {
  const value = (instance as Record<string, unknown>)[property.name];
  for (const holds of property.conditions) if (!holds(instance, value)) return undefined;
  let error: ValidationError | undefined;
  for (const constraint of property.constraints) {
    if (holdsOf(constraint, value, instance)) continue;
    error ??= newError(property.name, value, instance);
    error.constraints![constraint.name] = '';
  }
  return property.isNested && value !== undefined ? nestedError(property.name, value, instance, error) : error;
}

function holdsOf({ each, args, validator }: Constraint, value: unknown, object: object): boolean {
  args.object = object;
  args.value = value;
  return each && Array.isArray(value)
    ? value.every((element) => validator.validate(element, args) === true)
    : (validator.validate(value, args) as boolean);
}

const newError = (property: string, value: unknown, target: object): ValidationError =>
  Object.assign(new ValidationError(), { property, value, target, constraints: {}, children: [] });

/** For an object, or for all objects in a list. */
function nestedError(name: string, value: unknown, target: object, own?: ValidationError): ValidationError | undefined {
  const error = own ?? newError(name, value, target);
  if (Array.isArray(value))
    for (const [index, element] of value.entries()) {
      const inner = nestedError(String(index), element, value);
      if (inner) error.children!.push(inner);
    }
  else if (value instanceof Object) error.children!.push(...validateCompiled(value));
  else error.constraints![ValidationTypes.NESTED_VALIDATION] = '';
  return own ?? (error.children!.length > 0 || Object.keys(error.constraints!).length > 0 ? error : undefined);
}
