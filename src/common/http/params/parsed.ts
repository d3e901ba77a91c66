import { ApiErrors, type ApiError } from '../../errors/api-error.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The readable parameters of a request, and the errors of the others. It is not the DTO: rules can read single
 * parameters (`known`), but a write gets the DTO (`params`) only from a request without errors.
 */
export class Parsed<T extends object> {
  /**
   * `refused`: the parameters that are unreadable, or required and absent. `errors`: the errors of these, and those
   * between readable parameters.
   */
  constructor(
    private readonly values: Partial<T>,
    private readonly refused: ReadonlySet<string>,
    readonly errors: readonly ApiError[] = [],
  ) {}

  /** Parameters without errors. */
  static complete<T extends object>(params: T): Parsed<T> {
    return new Parsed<T>(params, NOTHING);
  }

  /** Whether the parameters by themselves are valid. */
  get isComplete(): boolean {
    return this.errors.length === 0 && this.refused.size === 0;
  }

  /** The DTO. Throws the errors of the parameters, if any. */
  get params(): T {
    if (!this.isComplete) throw new ApiErrors([...this.errors]);
    return this.values as T;
  }

  /** The DTO. Throws the errors of the parameters and the `problems`, if any. */
  paramsUnless(problems: readonly ApiError[]): T {
    if (problems.length > 0) throw new ApiErrors([...this.errors, ...problems]);
    return this.params;
  }

  /** The same with further parameters, such as the id in the path. */
  with<M extends object>(more: M): Parsed<T & M> {
    const values: unknown = { ...this.values, ...more };
    return new Parsed(values as Partial<T & M>, this.refused, this.errors);
  }

  /** The same without a parameter, which counts as rejected or as absent. */
  without(name: keyof T & string, as: 'refused' | 'unsent'): Parsed<T> {
    const { [name]: _, ...values } = this.values;
    const refused = as === 'refused' ? new Set([...this.refused, name]) : this.refused;
    return new Parsed<T>(values as unknown as Partial<T>, refused, this.errors);
  }

  /**
   * These parameters, or undefined when one of them was rejected. An absent optional parameter is undefined in the
   * result.
   */
  known<K extends keyof T & string>(...names: K[]): Pick<T, K> | undefined {
    return names.some((name) => this.refused.has(name)) ? undefined : (this.values as Pick<T, K>);
  }

  /** One parameter, or undefined when it was rejected or absent. */
  value<K extends keyof T & string>(name: K): T[K] | undefined {
    return this.known(name)?.[name];
  }

  /** One required parameter, such as the id of the row to change. Throws the errors of the request when it was rejected. */
  required<K extends keyof T & string>(name: K): T[K] {
    const value = this.value(name);
    if (value === undefined) throw new ApiErrors([...this.errors]);
    return value;
  }
}
