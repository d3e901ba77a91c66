import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';
import { Page } from './page.js';
import { describeAnswer, type AnswerKind } from './describe-answer.js';
import { Created } from './created.js';
import { schemaOf } from './responses.js';

type Schema = Record<string, unknown>;

/** One item of the `/2` family: `{ data }`. */
export const ReturnsData = (view: Type, ...statuses: number[]) =>
  answers(view, statuses.length > 0 ? statuses : [200], {
    kind: 'item',
    wire: { type: 'object', properties: { data: schemaOf(view) } },
    described: {
      type: 'object',
      required: ['data'],
      properties: { data: { allOf: [{ $ref: getSchemaPath(view) }], description: 'The item.' } },
    },
  });

/** A list of the `/2` family: `{ data, meta }`; with `pages`, `meta` has the token of the next page. */
export const ReturnsDataList = (view: Type, { pages = false } = {}) =>
  answers(view, [200], {
    kind: pages ? 'page' : 'list',
    wire: {
      type: 'object',
      properties: {
        data: { type: 'array', items: schemaOf(view) },
        meta: {
          type: 'object',
          properties: { result_count: { type: 'integer' }, next_token: { type: 'string' } },
        },
      },
    },
    described: {
      type: 'object',
      required: ['data', 'meta'],
      properties: {
        data: { type: 'array', items: { $ref: getSchemaPath(view) }, description: 'The items.' },
        meta: {
          type: 'object',
          description: 'Information about the list.',
          required: ['result_count'],
          properties: {
            result_count: { type: 'integer', description: 'Number of items in the response.', example: 1 },
            ...(pages && {
              next_token: {
                type: 'string',
                description:
                  'Send it as `pagination_token`, with otherwise the same parameters, to get the next page. Absent on the last page.',
              },
            }),
          },
        },
      },
    },
  });

/** Wraps responses of the `/2` family, and sets the status by whether an item was created or found. */
@Injectable()
class DataInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      map((answer: unknown) => {
        const made = answer instanceof Created ? (answer as Created<unknown>) : undefined;
        if (made?.isNew === false) void context.switchToHttp().getResponse<FastifyReply>().status(200);
        const result = made ? made.result : answer;
        if (result instanceof Page) return dataList(result.items, result.nextCursor);
        return Array.isArray(result) ? dataList(result, null) : { data: result };
      }),
    );
  }
}

const dataList = (data: unknown[], next: string | null) => ({
  data,
  meta: { result_count: data.length, ...(next !== null && { next_token: next }) },
});

/** Declares the response of an endpoint to the document and the serializer. */
function answers(
  view: Type,
  statuses: number[],
  { kind, wire, described }: { kind: AnswerKind; wire: Schema; described: Schema },
) {
  return applyDecorators(
    ApiExtraModels(view),
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: describeAnswer([view], kind, status),
        schema: described,
      }),
    ),
    RouteSchema({ response: { '2xx': wire } }),
    UseInterceptors(DataInterceptor),
  );
}
