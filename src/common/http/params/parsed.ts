import { ApiErrors, type ApiError } from '../../errors/api-error.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The parameters of a request as far as they could be read, and what is wrong with the others. It is not the DTO: rules can
 * ask for single parameters (`known`), but only a request without any error gives the DTO to a write (`params`).
 */
export class Parsed<T extends object> {
  /**
   * `refused`: the parameters that could not be read, or are required and were not sent. `errors`: what is wrong with those,
   * and between those that could be read.
   */
  constructor(
    private readonly values: Partial<T>,
    private readonly refused: ReadonlySet<string>,
    readonly errors: readonly ApiError[] = [],
  ) {}

  /** Parameters of which none was refused. */
  static whole<T extends object>(params: T): Parsed<T> {
    return new Parsed<T>(params, NOTHING);
  }

  /** Whether nothing is wrong with the parameters by themselves. */
  get isWhole(): boolean {
    return this.errors.length === 0 && this.refused.size === 0;
  }

  /** The DTO. Throws what is wrong with the parameters, where anything is. */
  get params(): T {
    if (!this.isWhole) throw new ApiErrors([...this.errors]);
    return this.values as T;
  }

  /** The DTO, unless something is wrong with the parameters or `problems` are: then all of it is thrown. */
  paramsUnless(problems: readonly ApiError[]): T {
    if (problems.length > 0) throw new ApiErrors([...this.errors, ...problems]);
    return this.params;
  }

  /** The same with more parameters, such as the id that the path names. */
  with<M extends object>(more: M): Parsed<T & M> {
    const values: unknown = { ...this.values, ...more };
    return new Parsed(values as Partial<T & M>, this.refused, this.errors);
  }

  /** The same without a parameter, which counts as refused or as not sent. */
  without(name: keyof T & string, as: 'refused' | 'unsent'): Parsed<T> {
    const { [name]: _, ...values } = this.values;
    const refused = as === 'refused' ? new Set([...this.refused, name]) : this.refused;
    return new Parsed<T>(values as unknown as Partial<T>, refused, this.errors);
  }

  /** The same with the errors of its refused parameters. */
  withErrors(errors: readonly ApiError[]): Parsed<T> {
    return new Parsed<T>(this.values, this.refused, errors);
  }

  /** These parameters, or undefined when one of them was refused. One that may be left out, and was, is undefined in it. */
  known<K extends keyof T & string>(...names: K[]): Pick<T, K> | undefined {
    return names.some((name) => this.refused.has(name)) ? undefined : (this.values as Pick<T, K>);
  }

  /** One parameter, or undefined when it was refused or not sent. */
  value<K extends keyof T & string>(name: K): T[K] | undefined {
    return this.known(name)?.[name];
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
