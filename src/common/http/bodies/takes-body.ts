import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiConsumes, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/api-error.js';
import { invalid, missing } from '../../errors/catalogue.js';
import { isObject } from '../../values/is-object.js';
import { exampleOf } from '../params/dto-metadata.js';
import { decodedBase64 } from './base64.js';
import { endTurn, unsupported, type BodyKind, type LargeForms } from './body-parsers.js';
import { objectOf, type Parameters } from './form-encoding.js';
import {
  bodyBytesOf,
  readMultipart,
  type FieldReader,
  type MultipartLimits,
  type MultipartParts,
  type UploadedFile,
} from './multipart.js';
import { ParamsPipe } from '../params/params.js';
import { tooManyPending } from './pending-bodies.js';
import type { UnreadBody } from './unread-body.js';

const KIND = Symbol('body kind');

/** The kind of body that `@TakesMultipart` or `@TakesStream` declares for a controller's method. */
export const unreadKindOf = (handler: object) =>
  Reflect.getMetadata(KIND, handler) as Extract<BodyKind, 'multipart' | 'stream'> | undefined;

interface MultipartRules extends MultipartLimits {
  fields: Type<object>;
  optional: boolean;
  json: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    multipart?: MultipartRules;
  }
  interface FastifyRequest {
    /** How names and values of the parts of a form are read; as they were sent when absent. */
    fieldReader?: FieldReader;
  }
}

interface FileRules {
  /** The name of the file part. */
  file: string;
  /** Maximum number of bytes of the file. */
  limit: number;
  /** Maximum number of bytes of all fields together; 64 KiB by default. */
  fieldLimit?: number;
  /** Whether the file may be absent. */
  optional?: boolean;
  /** The name of a part with the file in base64. */
  base64?: string;
  /** Whether a JSON object may have the fields, and the file in base64 under its name. */
  json?: boolean;
  /** Allows forms and JSON bodies larger than other buffered bodies: see LargeForms. */
  largeForms?: LargeForms;
}

/**
 * An endpoint that takes a file: `multipart/form-data` with fields, which are the parameters of a DTO and may also be
 * in the query or in an ordinary form, followed by one file. The method receives both as `@MultipartBody()`. Signatures
 * do not cover the fields of a multipart body (RFC 5849, 3.4.1.3.1); they do cover those of a form.
 */
export const TakesMultipart = (
  fields: Type<object>,
  { file, limit, fieldLimit = 64 * 1024, optional = false, base64, json = false, largeForms }: FileRules,
) => {
  const multipart: MultipartRules = { fields, file, fileBytes: limit, fieldBytes: fieldLimit, optional, base64, json };
  return applyDecorators(
    SetMetadata(KIND, 'multipart'),
    RouteConfig({
      bodyLimit: bodyBytesOf(multipart),
      unreadTypes: ['multipart/form-data'],
      multipart,
      ...(largeForms && { largeForms }),
    }),
    ApiConsumes(...(json ? ['application/json'] : []), 'multipart/form-data'),
    ApiExtraModels(fields),
    ApiBody({
      description: `The file is the last part and has at most ${limit} bytes. The query may contain the other fields.`,
      required: !optional,
      schema: {
        ...(exampleOf(fields) && { example: exampleOf(fields) }),
        allOf: [
          { $ref: getSchemaPath(fields) },
          {
            type: 'object',
            properties: {
              [file]: { type: 'string', format: 'binary', maxLength: limit, description: describedFile(json) },
            },
            ...(!optional && { required: [file] }),
          },
        ],
      },
    }),
  );
};

const describedFile = (json: boolean) => `The bytes of the file${json ? '; in JSON, in base64' : ''}.`;

/**
 * The body that a method with `@TakesMultipart` receives; for an `optional` file, `Multipart<T, UploadedFile |
 * undefined>`.
 */
export interface Multipart<T, File = UploadedFile> {
  fields: T;
  file: File;
}

/** The fields, validated and echoed like parameters, and the file, which the method must read while it arrives. */
export const MultipartBody = createParamDecorator(async (_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const body = await multipartOf(request);
  // what the handler waits for, such as the inspection of a file, does not delay the bodies of others
  endTurn(request);
  return body;
});

async function multipartOf(request: FastifyRequest): Promise<Multipart<object, UploadedFile | undefined>> {
  const rules = request.routeOptions.config.multipart;
  if (!rules) throw new Error('@MultipartBody() goes with @TakesMultipart()');
  const type = request.headers['content-type'] ?? '';
  if (request.hasJson) return jsonOf(request, rules);
  const parts: MultipartParts = request.unread
    ? await readMultipart(opened(request, request.unread), type, rules, request.fieldReader)
    : { fields: [] };
  request.query = objectOf(parts.fields, { ...(request.query as Parameters) });
  const fields = new ParamsPipe().transform(request.query, { type: 'custom', metatype: rules.fields });
  if (!parts.file && !rules.optional) throw missing(rules.file);
  return { fields, file: parts.file };
}

/** The same of a JSON object; EndpointPolicyGuard lets JSON through where the rules allow it. */
function jsonOf(request: FastifyRequest, { fields: metatype, file, optional }: MultipartRules) {
  if (!isObject(request.body)) throw invalid('body', 'The body must be a JSON object');
  const { [file]: text, ...given } = request.body;
  request.query = { ...(request.query as Parameters), ...given };
  const fields = new ParamsPipe().transform(request.query, { type: 'custom', metatype });
  if (text === undefined) {
    if (!optional) throw missing(file);
    return { fields, file: undefined };
  }
  if (typeof text !== 'string') throw invalid(file, `Expected base64 for ${file}`, { details: 'RFC 4648, 4' });
  const content = Readable.from([decodedBase64(text, file)], { objectMode: false });
  return { fields, file: { type: 'application/octet-stream', content } };
}

/**
 * An endpoint whose body is at most `limit` bytes of one of these media types. The method receives them as
 * `@StreamBody()`. Parameters are in the query.
 */
export const TakesStream = ({ limit, types = ['application/octet-stream'] }: { limit: number; types?: string[] }) =>
  applyDecorators(
    SetMetadata(KIND, 'stream'),
    RouteConfig({ bodyLimit: limit, unreadTypes: types }),
    ApiConsumes(...types),
    ApiBody({ description: `At most ${limit} bytes.`, schema: { type: 'string', format: 'binary', maxLength: limit } }),
  );

/** The body that a method with `@TakesStream` receives. */
export interface StreamedBody {
  /** Fails with the error to answer with. */
  content: Readable;
  /** The length that the client declares; undefined without one. */
  length?: number;
  /** The media type without parameters. */
  type: string;
}

/** The arriving body; 400 without one, 413 when it is too large. */
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

/** Opens the body of an upload; 429 when the user is at the limit of concurrent uploads. */
export function opened(
  request: FastifyRequest,
  unread: UnreadBody,
  user = request.server.uploaderOf(request),
): Readable {
  const { pendingBodies } = request.server;
  const { pendingBody } = request;
  if (user !== undefined && pendingBody && !pendingBodies.claim(pendingBody, user)) {
    const refusal = tooManyPending('perUser', request.url);
    // abandons the rest of the body
    pendingBody.giveUp(refusal);
    throw refusal;
  }
  return unread.open();
}

const noBody = () => new ApiError(400, 'MISSING_PARAMETER', 'The request has no body', { parameter: 'body' });
