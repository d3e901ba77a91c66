import type { Type } from '@nestjs/common';
import { ApiError, ApiErrors, OperationErrors } from '../errors/api-error.js';
import { invalid, missing } from '../errors/catalogue.js';
import { typed } from '../http/params.js';
import { shown } from '../http/invalid-value.js';

/** The DTO of each `operation_type` an endpoint takes. */
export type Inputs = Record<string, Type<object>>;

/** How each operation becomes a result; a throw of an ApiError is that operation's fault alone. */
export type Steps<I extends Inputs, R> = { [K in keyof I]: (params: InstanceType<I[K]>) => R };

interface Operation {
  type: string;
  params: object;
}

/** What a batch answers, in the order of the request, with the operations as they were understood. */
export class BatchResult<T> {
  constructor(
    readonly items: T[],
    readonly request: object[],
  ) {}

  map<U>(present: (item: T) => U): BatchResult<U> {
    return new BatchResult(
      this.items.map((item) => present(item)),
      this.request,
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The operations of a batch, typed (Part 1, 2.1 (12)). Reading and planning go through every one, so that a single answer
 * names every faulty item; both write nothing.
 */
export class Batch<I extends Inputs> {
  private readonly operations: (Operation | undefined)[] = [];
  private readonly errors: ApiError[][] = [];
  private readonly request: object[] = [];

  private constructor(private readonly path: Record<string, string>) {}

  /** Takes the body apart; 400 for the whole when it is no array or longer than `max`. `path` is echoed with every operation. */
  static read<I extends Inputs>(body: unknown, max: number, inputs: I, path: Record<string, string>): Batch<I> {
    if (!Array.isArray(body)) throw invalid('body', 'The body must be a JSON array of operations');
    if (body.length === 0) throw invalid('body', 'A minimum of 1 operations must be provided');
    if (body.length > max)
      throw invalid('body', `Batch size exceeds the maximum of ${max}`, {
        details: `${body.length} operations were given`,
      });
    const batch = new Batch<I>(path);
    for (const [index, raw] of body.entries()) {
      batch.errors.push([]);
      batch.request.push({ params: path });
      batch.operations.push(batch.attempt(index, () => batch.understand(index, raw, inputs)));
    }
    return batch;
  }

  /** The parameters of all operations of one type that could be read. */
  params<K extends keyof I & string>(type: K): InstanceType<I[K]>[] {
    return this.operations.flatMap((operation) =>
      operation?.type === type ? [operation.params as InstanceType<I[K]>] : [],
    );
  }

  /** Each operation in order, its index told beforehand; then every result, or every error by index. */
  plan<R>(steps: Steps<I, R>, next: (index: number) => void = () => undefined): BatchResult<R> {
    const results = this.operations.map((operation, index) => {
      next(index);
      return operation && this.attempt(index, () => steps[operation.type](operation.params as InstanceType<I[string]>));
    });
    if (this.errors.some((own) => own.length > 0)) throw new OperationErrors(this.errors, this.request);
    return new BatchResult(results as R[], this.request);
  }

  /** The refusal of the whole batch for reasons found only when it was stored, each told to the operation it concerns. */
  refusal(reasons: ReadonlyMap<number, ApiError>): OperationErrors {
    const errors = this.operations.map((_, index) => [reasons.get(index) ?? []].flat());
    return new OperationErrors(errors, this.request);
  }

  private understand(index: number, raw: unknown, inputs: I): Operation {
    if (!isObject(raw))
      throw invalid('operation', `Expected an object with operation_type and params, got ${shown(raw)}`);
    const { operation_type: type, params = {} } = raw;
    this.request[index] = { params: this.path, operation_type: type };
    if (type === undefined) throw missing('operation_type');
    if (typeof type !== 'string' || !Object.hasOwn(inputs, type)) {
      throw invalid(
        'operation_type',
        `Expected a value in ${Object.keys(inputs).join(', ')}, got ${shown(type)} for operation_type`,
        { value: type },
      );
    }
    if (!isObject(params)) throw invalid('params', `Expected an object, got ${shown(params)} for params`);
    const read = typed(inputs[type], params);
    this.request[index] = { params: { ...read.echo, ...this.path }, operation_type: type };
    return { type, params: read.params };
  }

  private attempt<R>(index: number, work: () => R): R | undefined {
    try {
      return work();
    } catch (error) {
      if (error instanceof ApiError) this.errors[index].push(error);
      else if (error instanceof ApiErrors) this.errors[index].push(...error.errors);
      else throw error; // a fault of ours, not of the item
      return undefined;
    }
  }
}
