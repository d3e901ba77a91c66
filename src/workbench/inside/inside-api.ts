import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { asInsideCaller } from '../../auth/guards/inside-callers.js';
import { Config } from '../../config/config.js';
import type { Visit } from '../pages/workbench-pages.js';
import { injectionOf, prepared } from './injection.js';

/** A resource of the API as its view has it. */
export type Item = Record<string, unknown>;

/** The response of the API. */
export interface InsideAnswer {
  status: number;
  /** The body, as it is. */
  text: string;
  /** The items of a list, or the one item; none in an error. */
  items: Item[];
  nextCursor: string | null;
  /** Of an error: its message and its hint. */
  problem?: string;
}

/** Which resource a page reads. */
interface InsideRead {
  path: string;
  params?: Record<string, string | number | undefined>;
  sandbox: boolean;
}

/** Reads the API for the user of a page: what a page shows is what the API answers to this user with this application. */
@Injectable()
export class InsideApi {
  constructor(private readonly config: Config) {}

  async get(request: FastifyRequest, { session, application }: Visit, read: InsideRead): Promise<InsideAnswer> {
    const { path, params = {}, sandbox } = read;
    const caller = {
      userId: session.user.userId,
      ...{ tokenId: '', token: '', tokenSecret: '', accessLevel: 'read' as const },
      application: { ...application, consumerSecret: '' },
    };
    const given = Object.entries(params).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const wanted = { method: 'GET', path, params: given, sandbox };
    const { statusCode: status, body: text } = await asInsideCaller(caller, (authorization) => {
      const sender = { address: request.ip, agent: 'marquee-workbench', authorize: () => authorization };
      return request.server.inject(injectionOf(prepared(wanted, this.config), sender));
    });
    const { data, next_cursor, errors } = JSON.parse(text) as {
      data?: Item | Item[];
      next_cursor?: string | null;
      errors?: { message: string; hint?: string }[];
    };
    return {
      status,
      text,
      items: data === undefined ? [] : [data].flat(),
      nextCursor: next_cursor ?? null,
      ...(errors && { problem: [errors[0].message, errors[0].hint].filter(Boolean).join('. ') }),
    };
  }
}
