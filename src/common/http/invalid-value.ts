import { cut, repeatable, type ApiError, type ErrorDetail, type Hint } from '../errors/api-error.js';
import { invalid } from '../errors/catalogue.js';

/** What a field's reader answers in place of a value it cannot take. */
export class InvalidValue {
  constructor(
    readonly message: string,
    readonly given?: unknown,
    readonly details?: string,
    /** Builds the error where it is another than INVALID_PARAMETER. */
    readonly as?: (parameter: string, given: Omit<ErrorDetail, 'parameter'>) => ApiError,
  ) {}

  /** What a developer is told besides, outside production. */
  private hint?: Hint;

  /** The same value with a hint. */
  hinted(hint: Hint): this {
    this.hint = hint;
    return this;
  }

  toError(parameter: string): ApiError {
    const detail = {
      ...(this.details && { details: this.details }),
      ...(this.given !== undefined && { value: repeatable(this.given) }),
    };
    return (this.as?.(parameter, detail) ?? invalid(parameter, this.message, detail)).hinted(this.hint);
  }

  /** All that is wrong with it: more than one thing where it has parts. */
  toErrors(parameter: string): ApiError[] {
    return [this.toError(parameter)];
  }
}

/**
 * A value that cannot be read, of a parameter that is ignored in some cases: the rules that know the case drop it, or refuse
 * it with what is wrong. It is not echoed.
 */
export class UnreadValue {
  constructor(private readonly invalid: InvalidValue) {}

  toErrors(parameter: string): ApiError[] {
    return this.invalid.toErrors(parameter);
  }
}

/** A value that has parts, some of which cannot be taken; each error names its place, such as `components[1].title`. */
export class InvalidParts extends InvalidValue {
  constructor(private readonly errors: ApiError[]) {
    super(errors.map(({ message }) => message).join('; '));
  }

  override toErrors(): ApiError[] {
    return this.errors;
  }
}

/** The form in which clients know type errors: what was expected, what came, and where. */
export const expected = (what: string, given: unknown, name: string, details?: string): InvalidValue =>
  new InvalidValue(`Expected ${what}, got ${shown(given)} for ${name}`, given, details);

/** A given value as a message quotes it, cut where it is long. */
export function shown(given: unknown): string {
  const text = typeof given === 'string' ? `"${given}"` : (JSON.stringify(given) ?? String(given));
  return cut(text, 120);
}
