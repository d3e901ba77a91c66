import type { paths } from '../api.js';
import type { BATCH_SIZES } from './operations.js';
import type { Media, UploadOptions, UploadSource } from './uploads.js';

type Method = 'get' | 'post' | 'put' | 'delete';

/** The paths that have an operation with this method. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, unknown> ? Path : never;
}[keyof paths];

type OperationAt<M extends Method, Path extends PathOf<M>> = paths[Path][M & keyof paths[Path]];

type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;

/** The body of a successful response. */
export type DataOf<M extends Method, Path extends PathOf<M>> =
  OperationAt<M, Path> extends { responses: infer Responses } ? Json<Responses[keyof Responses]> : never;

/** Parameters of path and query; a body, which is a form or JSON; and how to send them. */
export type InitOf<M extends Method, Path extends PathOf<M>> = Params<OperationAt<M, Path>> &
  Body<OperationAt<M, Path>> & {
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };
type Params<Operation> = Operation extends { parameters: infer P }
  ? object extends P
    ? { params?: P }
    : { params: P }
  : { params?: never };
type Body<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: Content[keyof Content] }
    : { body?: never };

/** Can be omitted if nothing in it is required. */
type Optional<Init> = object extends Init ? [init?: Init] : [init: Init];

/** Calls an operation. Throws `MarqueeError` unless it succeeds. */
export type Caller<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...init: Optional<InitOf<M, Path>>
) => Promise<{ data: DataOf<M, Path>; response: Response }>;

/** The paths of lists that have pages. */
export type ListPath = {
  [Path in PathOf<'get'>]: DataOf<'get', Path> extends { next_cursor: string | null } ? Path : never;
}[PathOf<'get'>];

/** An item of a list. */
export type ItemOf<Path extends ListPath> =
  DataOf<'get', Path> extends { data: readonly (infer Item)[] } ? Item : never;

/** The paths that take batches. */
export type BatchPath = keyof typeof BATCH_SIZES;

/** An operation of a batch. */
export type OperationOf<Path extends BatchPath> =
  OperationAt<'post', Path> extends { requestBody: { content: { 'application/json': (infer Operation)[] } } }
    ? Operation
    : never;

/** The result of an operation. Where the service counts all operations of a request together, that of the request. */
export type ResultOf<Path extends BatchPath> =
  DataOf<'post', Path> extends { data: infer Data } ? (Data extends readonly (infer Result)[] ? Result : Data) : never;

export interface MarqueeClient {
  GET: Caller<'get'>;
  POST: Caller<'post'>;
  PUT: Caller<'put'>;
  DELETE: Caller<'delete'>;
  /** The pages of a list. The next one is requested when it is needed. */
  pages<Path extends ListPath>(
    path: Path,
    ...init: Optional<InitOf<'get', Path>>
  ): AsyncGenerator<DataOf<'get', Path>, void>;
  /** The items of a list, over all its pages. */
  iterate<Path extends ListPath>(
    path: Path,
    ...init: Optional<InitOf<'get', Path>>
  ): AsyncGenerator<ItemOf<Path>, void>;
  /**
   * Sends any number of operations, in requests of the largest size that the endpoint takes, and returns their results in order.
   * All operations of a request succeed or none. Throws `MarqueeBatchError` after the first request that fails.
   */
  batch<Path extends BatchPath>(
    path: Path,
    operations: readonly OperationOf<Path>[],
    init: Omit<InitOf<'post', Path>, 'body'>,
  ): Promise<ResultOf<Path>[]>;
  /** Uploads a file in segments and waits until the service has processed it. */
  upload(source: UploadSource, options?: UploadOptions): Promise<Media>;
}
