import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiConsumes, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.js';
import { missing } from '../../errors/catalogue.js';
import { unsupported, type BodyKind, type LargeForms } from './body-parsers.js';
import { exampleOf } from '../params/example.js';
import { objectOf, type Parameters } from './form-encoding.js';
import {
  bodyBytesOf,
  readMultipart,
  type MultipartLimits,
  type MultipartParts,
  type UploadedFile,
} from './multipart.js';
import { ParamsPipe } from '../params/params.js';
import { tooManyPending } from './pending-bodies.js';
import type { UnreadBody } from './unread-body.js';

const KIND = Symbol('body kind');

/** The kind of body that `@TakesMultipart` or `@TakesStream` gives a controller's method. */
export const unreadKindOf = (handler: object) =>
  Reflect.getMetadata(KIND, handler) as Extract<BodyKind, 'multipart' | 'stream'> | undefined;

interface MultipartRules extends MultipartLimits {
  fields: Type<object>;
  optional: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    multipart?: MultipartRules;
  }
}

interface FileRules {
  /** The name of the part that is the file. */
  file: string;
  /** The most bytes that the file may have. */
  limit: number;
  /** The most bytes that all fields may have together; 64 KiB unless said otherwise. */
  fieldLimit?: number;
  /** Whether a request without the file is answered, too. */
  optional?: boolean;
  /** The name of a part that is the file in base64. */
  base64?: string;
  /** Where a form may be larger than any other body that is held: see LargeForms. */
  largeForms?: LargeForms;
}

/**
 * An endpoint that takes a file: `multipart/form-data` with fields, which are the parameters of a DTO and may also stand in
 * the query or in an ordinary form, and after them one file. The method gets both as `@MultipartBody()`. Fields of a
 * multipart body are not signed (RFC 5849, 3.4.1.3.1), those of a form are.
 */
export const TakesMultipart = (
  fields: Type<object>,
  { file, limit, fieldLimit = 64 * 1024, optional = false, base64, largeForms }: FileRules,
) => {
  const multipart: MultipartRules = { fields, file, fileBytes: limit, fieldBytes: fieldLimit, optional, base64 };
  return applyDecorators(
    SetMetadata(KIND, 'multipart'),
    RouteConfig({
      bodyLimit: bodyBytesOf(multipart),
      unreadTypes: ['multipart/form-data'],
      multipart,
      ...(largeForms && { largeForms }),
    }),
    ApiConsumes('multipart/form-data'),
    ApiExtraModels(fields),
    ApiBody({
      description: `The file comes last and has at most ${limit} bytes. What the other fields say may come in the query.`,
      required: !optional,
      schema: {
        ...(exampleOf(fields) && { example: exampleOf(fields) }),
        allOf: [
          { $ref: getSchemaPath(fields) },
          {
            type: 'object',
            properties: {
              [file]: { type: 'string', format: 'binary', maxLength: limit, description: 'The bytes of the file.' },
            },
            ...(!optional && { required: [file] }),
          },
        ],
      },
    }),
  );
};

/** What a method with `@TakesMultipart` gets; where the file is `optional`, as `Multipart<T, UploadedFile | undefined>`. */
export interface Multipart<T, File = UploadedFile> {
  fields: T;
  file: File;
}

/** The fields, validated and echoed as parameters are, and the file, which the method has to read while it arrives. */
export const MultipartBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  multipartOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

async function multipartOf(request: FastifyRequest): Promise<Multipart<object, UploadedFile | undefined>> {
  const rules = request.routeOptions.config.multipart;
  if (!rules) throw new Error('@MultipartBody() goes with @TakesMultipart()');
  const type = request.headers['content-type'] ?? '';
  if (request.hasJson) throw unsupported(type, 'multipart/form-data');
  const parts: MultipartParts = request.unread
    ? await readMultipart(opened(request, request.unread), type, rules)
    : { fields: [] };
  request.query = objectOf(parts.fields, { ...(request.query as Parameters) });
  const fields = await new ParamsPipe().transform(request.query, { type: 'custom', metatype: rules.fields });
  if (!parts.file && !rules.optional) throw missing(rules.file);
  return { fields, file: parts.file };
}

/**
 * An endpoint whose body is bytes of one of these media types, at most `limit` of them; the method gets them as
 * `@StreamBody()`. Parameters come in the query.
 */
export const TakesStream = ({ limit, types = ['application/octet-stream'] }: { limit: number; types?: string[] }) =>
  applyDecorators(
    SetMetadata(KIND, 'stream'),
    RouteConfig({ bodyLimit: limit, unreadTypes: types }),
    ApiConsumes(...types),
    ApiBody({ description: `At most ${limit} bytes.`, schema: { type: 'string', format: 'binary', maxLength: limit } }),
  );

/** What a method with `@TakesStream` gets. */
export interface StreamedBody {
  /** Fails with the error to answer with. */
  content: Readable;
  /** The bytes that the client says there are; undefined where it does not say. */
  length?: number;
  /** The media type without parameters. */
  type: string;
}

/** The body as it arrives; 400 where there is none, 413 where it is too large. */
export const StreamBody = createParamDecorator((_: unknown, context: ExecutionContext): StreamedBody => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { unread, headers, hasJson, routeOptions } = request;
  const { unreadTypes } = routeOptions.config;
  if (!unreadTypes) throw new Error('@StreamBody() goes with @TakesStream()');
  const type = headers['content-type'] ?? 'application/octet-stream';
  if (hasJson) throw unsupported(type, unreadTypes.join(' or '));
  if (!unread || unread.length === 0) throw noBody();
  return { content: opened(request, unread), length: unread.length, type: type.split(';', 1)[0].trim().toLowerCase() };
});

/** Opens the body of an upload; 429 where the user has as many uploads on their way as are allowed. */
function opened(request: FastifyRequest, unread: UnreadBody): Readable {
  const { pendingBodies, uploaderOf } = request.server;
  const user = uploaderOf(request);
  const { pendingBody } = request;
  if (user !== undefined && pendingBody && !pendingBodies.claim(pendingBody, user)) {
    const refusal = tooManyPending('perUser', request.url);
    // the rest of it is not waited for
    pendingBody.giveUp(refusal);
    throw refusal;
  }
  return unread.open();
}

const noBody = () => new ApiError(400, 'MISSING_PARAMETER', 'The request has no body', { parameter: 'body' });
