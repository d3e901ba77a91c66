import type { Type } from '@nestjs/common';
import { errorsOf, OperationErrors, type ApiError } from '../errors/api-error.js';
import { invalid, missing } from '../errors/catalogue.js';
import { BatchResult } from '../http/answers/results.js';
import { quotedValue } from '../http/params/refusals.js';
import { didYouMean } from '../http/hints/nearest.js';
import { declaredFields } from '../http/params/dto-metadata.js';
import { markRead, readParams } from '../http/params/params.js';
import type { Parsed } from '../http/params/parsed.js';
import { nextSlice } from '../concurrency/in-slices.js';
import { isObject } from '../values/is-object.js';

/** The DTO of each `operation_type` that an endpoint takes. */
export type OperationInputs = Record<string, Type<object>>;

/** No promise: the batch would be stored before it settles, and nothing would handle its rejection. */
type Settled = (object & { then?: undefined }) | string | number | undefined;

/**
 * Turns each kind of operation into a result. Also called for operations with rejected parameters, to find their other
 * errors. An ApiError that a handler throws concerns that operation only.
 */
export type OperationHandlers<I extends OperationInputs> = {
  [K in keyof I]: (request: Parsed<InstanceType<I[K]>>) => Settled;
};

/** The result of an operation, of any kind. */
export type ResultOf<H extends Record<string, (...given: never[]) => unknown>> = ReturnType<H[keyof H]>;

/** A readable operation; some of its parameters may be rejected. */
interface Operation {
  type: string;
  request: Parsed<object>;
}

/** Reads the large parameters of an operation ahead of the operation itself, which reports their errors. */
async function prepare(raw: unknown, inputs: OperationInputs): Promise<void> {
  if (!isObject(raw) || !isObject(raw.params)) return;
  const { operation_type: type, params } = raw;
  if (typeof type !== 'string' || !Object.hasOwn(inputs, type)) return;
  for (const { name, prepare: read } of declaredFields(inputs[type].prototype as object))
    if (read && params[name] !== undefined) await read(params[name], name);
}

function operationsIn(body: unknown, max: number): unknown[] {
  if (!Array.isArray(body)) throw invalid('body', 'The body must be a JSON array of operations');
  if (body.length === 0) throw invalid('body', 'A minimum of 1 operations must be provided');
  if (body.length > max)
    throw invalid('body', `Batch size exceeds the maximum of ${max}`, {
      details: `${body.length} operations were given`,
    });
  return body;
}

/**
 * The typed operations of a batch. Reading and planning go through all of them, so that one response names every
 * invalid item. Neither writes anything.
 */
export class Batch<I extends OperationInputs> {
  private readonly operations: (Operation | undefined)[] = [];
  private readonly errors: ApiError[][] = [];
  private readonly request: object[] = [];

  private constructor(
    private readonly path: Record<string, string>,
    private readonly unechoed: readonly string[],
  ) {}

  /**
   * Reads the body; rejects the whole batch with 400 when it is not an array or longer than `max`. Every operation
   * echoes `path`.
   */
  static read<I extends OperationInputs>(
    body: unknown,
    max: number,
    inputs: I,
    path: Record<string, string>,
  ): Batch<I> {
    const batch = new Batch<I>(path, []);
    for (const [index, raw] of operationsIn(body, max).entries()) batch.take(index, raw, inputs);
    return batch;
  }

  /**
   * The same for batches of thousands of operations: yields to other requests meanwhile. Does not echo the parameters
   * in `unechoed`, which are too large.
   */
  static async readLarge<I extends OperationInputs>(
    body: unknown,
    max: number,
    inputs: I,
    path: Record<string, string>,
    unechoed: readonly string[],
  ): Promise<Batch<I>> {
    const batch = new Batch<I>(path, unechoed);
    for (const [index, raw] of operationsIn(body, max).entries()) {
      await nextSlice();
      await prepare(raw, inputs);
      batch.take(index, raw, inputs);
    }
    return batch;
  }

  /** The operations of one type, including those with rejected parameters. */
  requests<K extends keyof I & string>(type: K): Parsed<InstanceType<I[K]>>[] {
    return this.operations.flatMap((operation) =>
      operation?.type === type ? [operation.request as Parsed<InstanceType<I[K]>>] : [],
    );
  }

  /** The readable values of a parameter that names a row, in the operations of one type. */
  values<K extends keyof I & string>(type: K, name: keyof InstanceType<I[K]> & string): string[] {
    return this.requests(type).flatMap((request) => (request.value(name) as string | undefined) ?? []);
  }

  /** Whether operations change or delete stored rows. */
  get changesRows(): boolean {
    return this.operations.some((operation) => operation && operation.type !== 'Create');
  }

  /** Whether the parameters of all operations are valid by themselves. */
  get isReadable(): boolean {
    return this.operations.every((operation) => operation?.request.isComplete);
  }

  /**
   * Handles each operation in order and returns every result, or throws every error by index. `begin` is told the index of
   * each operation before it is handled.
   */
  run<H extends OperationHandlers<I>>(handlers: H, begin?: (index: number) => void): BatchResult<ResultOf<H>> {
    const errors = this.errors.map((own) => [...own]);
    const results = this.operations.map((operation, index) => {
      begin?.(index);
      return operation && attempt(errors[index], () => handle(handlers, operation, errors[index]));
    });
    if (errors.some((own) => own.length > 0)) throw new OperationErrors(errors, this.request);
    return new BatchResult(results as ResultOf<H>[], this.request);
  }

  /** The error of the whole batch for reasons found only when it was stored, each reported on its operation. */
  refusal(reasons: ReadonlyMap<number, ApiError>): OperationErrors {
    const errors = this.operations.map((_, index) => [reasons.get(index) ?? []].flat());
    return new OperationErrors(errors, this.request);
  }

  private take(index: number, raw: unknown, inputs: I): void {
    this.errors.push([]);
    this.request.push({ params: this.path });
    this.operations.push(attempt(this.errors[index], () => this.understand(index, raw, inputs)));
  }

  private understand(index: number, raw: unknown, inputs: I): Operation {
    if (!isObject(raw))
      throw invalid('operation', `Expected an object with operation_type and params, got ${quotedValue(raw)}`);
    const { operation_type: type, params = {} } = raw;
    this.request[index] = { params: this.path, operation_type: type };
    if (type === undefined) throw missing('operation_type');
    if (typeof type !== 'string' || !Object.hasOwn(inputs, type)) {
      throw invalid(
        'operation_type',
        `Expected a value in ${Object.keys(inputs).join(', ')}, got ${quotedValue(type)} for operation_type`,
        { value: type },
      ).hinted(() => didYouMean(type, Object.keys(inputs)));
    }
    if (!isObject(params)) throw invalid('params', `Expected an object, got ${quotedValue(params)} for params`);
    const { echo, parsed } = readParams(inputs[type], params);
    markRead(params, inputs[type], echo);
    this.request[index] = { params: { ...this.echoed(echo), ...this.path }, operation_type: type };
    return { type, request: parsed };
  }

  private echoed(echo: object): object {
    if (this.unechoed.length === 0) return echo;
    return Object.fromEntries(Object.entries(echo).filter(([name]) => !this.unechoed.includes(name)));
  }
}

/** Calls the handler of an operation. Adds the errors of its parameters to `errors`. */
function handle<I extends OperationInputs>(
  handlers: OperationHandlers<I>,
  { type, request }: Operation,
  errors: ApiError[],
): Settled {
  errors.push(...request.errors);
  const result = handlers[type](request as Parsed<InstanceType<I[string]>>);
  return request.isComplete ? result : undefined;
}

/** The result of `work`, or undefined if it rejects the operation. Adds its errors to `errors`. */
function attempt<R>(errors: ApiError[], work: () => R): R | undefined {
  try {
    return work();
  } catch (error) {
    errors.push(...errorsOf(error).filter((each) => !errors.includes(each)));
    return undefined;
  }
}
