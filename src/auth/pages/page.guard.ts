import {
  applyDecorators,
  Catch,
  Controller,
  Injectable,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { OAuthAdmission } from '../guards/oauth-admission.js';
import { Pages } from './pages.js';

/** Counts the pages that an address asks for. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(private readonly admission: OAuthAdmission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.admission.admitAddress(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), 'PAGES');
    return true;
  }
}

const TITLES: Record<number, string> = { 429: 'Too many requests' };

/** Answers errors with a page, since people read it; unexpected ones are left to ApiErrorFilter. */
@Catch(ApiError)
@Injectable()
export class PageErrorFilter implements ExceptionFilter<ApiError> {
  constructor(private readonly pages: Pages) {}

  async catch({ status, message, headers }: ApiError, host: ArgumentsHost): Promise<void> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const wait = headers['retry-after'];
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    const text = wait ? `Please try again in ${wait} seconds.` : message;
    await this.pages.problem(reply, {}, { title: TITLES[status] ?? 'This did not work', text, status });
  }
}

/** A controller of pages. */
export const PageController = (path: string) =>
  applyDecorators(ApiExcludeController(), Controller(path), UseGuards(PageGuard), UseFilters(PageErrorFilter));
