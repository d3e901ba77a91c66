import type { Type } from '@nestjs/common';
import { ApiError, ApiErrors, OperationErrors } from '../errors/api-error.js';
import { invalid, missing } from '../errors/catalogue.js';
import { shown } from '../http/refusals.js';
import { didYouMean } from '../http/nearest.js';
import { fieldsOf } from '../http/dto-metadata.js';
import { readParams } from '../http/params.js';
import { Parsed, type RefusedParams } from '../http/parsed.js';
import { sliced } from '../in-slices.js';

/** The DTO of each `operation_type` an endpoint takes. */
export type Inputs = Record<string, Type<object>>;

/** A promise is no result: what a step waits for would be stored without it, and its refusal would be nobody's. */
type Settled<R> = R extends PromiseLike<unknown> ? never : R;

/** How each operation becomes a result; a throw of an ApiError is that operation's fault alone. */
export type Steps<I extends Inputs, R> = { [K in keyof I]: (params: InstanceType<I[K]>) => Settled<R> };

/** What is wrong with an operation beside the parameters that were refused; see Parsed. */
export type Checks<I extends Inputs> = { [K in keyof I]?: (parsed: Parsed<InstanceType<I[K]>>) => ApiError[] };

/** An operation that could be read; of the parameters some may have been refused. */
type Operation = { type: string; params: object; refused?: undefined } | { type: string; refused: RefusedParams };

/** What a batch answers, in the order of the request, with the operations as they were understood. */
export class BatchResult<T> {
  constructor(
    readonly items: T[],
    readonly request: object[],
    /** Keys that one endpoint adds beside `data`: `data_type`. */
    readonly extra?: Record<string, unknown>,
  ) {}

  map<U>(present: (item: T) => U, extra = this.extra): BatchResult<U> {
    return new BatchResult(
      this.items.map((item) => present(item)),
      this.request,
      extra,
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads what of an operation is large before the operation is; what is wrong with it is told when it is. */
async function prepare(raw: unknown, inputs: Inputs): Promise<void> {
  if (!isObject(raw) || !isObject(raw.params)) return;
  const { operation_type: type, params } = raw;
  if (typeof type !== 'string' || !Object.hasOwn(inputs, type)) return;
  for (const { name, prepare: read } of fieldsOf(inputs[type].prototype as object))
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
 * The operations of a batch, typed. Reading and planning go through every one, so that a single answer
 * names every faulty item; both write nothing.
 */
export class Batch<I extends Inputs> {
  private readonly operations: (Operation | undefined)[] = [];
  private readonly errors: ApiError[][] = [];
  private readonly request: object[] = [];

  private constructor(
    private readonly path: Record<string, string>,
    private readonly unechoed: readonly string[],
  ) {}

  /** Takes the body apart; 400 for the whole when it is no array or longer than `max`. `path` is echoed with every operation. */
  static read<I extends Inputs>(body: unknown, max: number, inputs: I, path: Record<string, string>): Batch<I> {
    const batch = new Batch<I>(path, []);
    for (const [index, raw] of operationsIn(body, max).entries()) batch.take(index, raw, inputs);
    return batch;
  }

  /**
   * The same for batches of thousands: others have their turn meanwhile. Parameters that are too much to be repeated are not
   * echoed (`unechoed`).
   */
  static async readLarge<I extends Inputs>(
    body: unknown,
    max: number,
    inputs: I,
    path: Record<string, string>,
    unechoed: readonly string[],
  ): Promise<Batch<I>> {
    const batch = new Batch<I>(path, unechoed);
    const nextPiece = sliced();
    for (const [index, raw] of operationsIn(body, max).entries()) {
      await nextPiece();
      await prepare(raw, inputs);
      batch.take(index, raw, inputs);
    }
    return batch;
  }

  /** The parameters of all operations of one type of which none was refused. */
  params<K extends keyof I & string>(type: K): InstanceType<I[K]>[] {
    return this.operations.flatMap((operation) =>
      operation?.type === type && !operation.refused ? [operation.params as InstanceType<I[K]>] : [],
    );
  }

  /** One parameter of all operations of a type, those included of which others were refused: to read what checks ask for. */
  values<K extends keyof I & string, N extends keyof InstanceType<I[K]> & string>(
    type: K,
    name: N,
  ): NonNullable<InstanceType<I[K]>[N]>[] {
    return this.operations.flatMap((operation) => {
      if (operation?.type !== type) return [];
      const parsed = (operation.refused?.parsed ?? Parsed.whole((operation as { params: object }).params)) as Parsed<
        InstanceType<I[K]>
      >;
      return parsed.known(name)?.[name] ?? [];
    });
  }

  /** The operations of one type of which some parameters were refused, as `checks` will be asked about them. */
  partly<K extends keyof I & string>(type: K): Parsed<InstanceType<I[K]>>[] {
    return this.operations.flatMap((operation) =>
      operation?.type === type && operation.refused ? [operation.refused.parsed as Parsed<InstanceType<I[K]>>] : [],
    );
  }

  /**
   * Each operation in order, its index told beforehand; then every result, or every error by index. An operation with
   * refused parameters takes no step; what `checks` find wrong with the rest of it is named beside them.
   */
  plan<R>(
    steps: Steps<I, R>,
    { checks = {}, next }: { checks?: Checks<I>; next?: (index: number) => void } = {},
  ): BatchResult<R> {
    const results = this.operations.map((operation, index) => {
      next?.(index);
      return operation?.refused
        ? this.attempt(index, () => {
            const parsed = operation.refused.parsed as Parsed<InstanceType<I[string]>>;
            this.errors[index].push(...(checks[operation.type]?.(parsed) ?? []));
          })
        : operation && this.attempt(index, () => steps[operation.type](operation.params as InstanceType<I[string]>));
    });
    if (this.errors.some((own) => own.length > 0)) throw new OperationErrors(this.errors, this.request);
    return new BatchResult(results as R[], this.request);
  }

  /** The refusal of the whole batch for reasons found only when it was stored, each told to the operation it concerns. */
  refusal(reasons: ReadonlyMap<number, ApiError>): OperationErrors {
    const errors = this.operations.map((_, index) => [reasons.get(index) ?? []].flat());
    return new OperationErrors(errors, this.request);
  }

  private take(index: number, raw: unknown, inputs: I): void {
    this.errors.push([]);
    this.request.push({ params: this.path });
    this.operations.push(this.attempt(index, () => this.understand(index, raw, inputs)));
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
      ).hinted(() => didYouMean(type, Object.keys(inputs)));
    }
    if (!isObject(params)) throw invalid('params', `Expected an object, got ${shown(params)} for params`);
    const reading = readParams(inputs[type], params);
    this.request[index] = { params: { ...this.echoed(reading.echo), ...this.path }, operation_type: type };
    if (!reading.refused) return { type, params: reading.params };
    this.errors[index].push(...reading.refused.errors);
    return { type, refused: reading.refused };
  }

  private echoed(echo: object): object {
    if (this.unechoed.length === 0) return echo;
    return Object.fromEntries(Object.entries(echo).filter(([name]) => !this.unechoed.includes(name)));
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
