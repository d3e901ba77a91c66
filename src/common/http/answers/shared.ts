const SHARED = Symbol('shared');

/**
 * For a required property of a View, beside @ApiProperty: an object that most items of a list share. The serializer
 * writes it once for successive items that have the same object, and copies its bytes.
 */
export const Shared = (): PropertyDecorator => (prototype, name) =>
  Reflect.defineMetadata(SHARED, true, prototype, name);

/** Whether a property is `@Shared`. */
export const isShared = (prototype: object, name: string): boolean => Reflect.hasMetadata(SHARED, prototype, name);
