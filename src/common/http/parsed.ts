import { ApiErrors, type ApiError } from '../errors/api-error.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * What a client sent as far as it could be read, where something else about the request was refused. It is no DTO on
 * purpose: rules can ask it, a write cannot take it.
 */
export class Parsed<T extends object> {
  /** `refused`: the parameters that could not be read, or are required and were not sent. */
  constructor(
    private readonly values: Partial<T>,
    private readonly refused: ReadonlySet<string>,
  ) {}

  /** Parameters of which none was refused, for rules that are asked of these too. */
  static whole<T extends object>(params: T): Parsed<T> {
    return new Parsed<T>(params, NOTHING);
  }

  /** The same without a parameter, which counts as refused or as not sent. */
  without(name: keyof T & string, as: 'refused' | 'unsent'): Parsed<T> {
    const { [name]: _, ...values } = this.values;
    return new Parsed<T>(
      values as unknown as Partial<T>,
      as === 'refused' ? new Set([...this.refused, name]) : this.refused,
    );
  }

  /** These parameters, or undefined when one of them was refused. One that may be left out, and was, is undefined in it. */
  known<K extends keyof T & string>(...names: K[]): Pick<T, K> | undefined {
    return names.some((name) => this.refused.has(name)) ? undefined : (this.values as Pick<T, K>);
  }
}

/** Parameters that were refused, with what of them can still be judged. */
export class RefusedParams extends ApiErrors {
  constructor(
    errors: ApiError[],
    readonly parsed: Parsed<object>,
  ) {
    super(errors);
  }
}
