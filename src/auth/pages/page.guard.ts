import {
  applyDecorators,
  Catch,
  Controller,
  Inject,
  Injectable,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, truncate } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Parameters } from '../../common/http/bodies/form-encoding.js';
import { noteRefusal } from '../../common/http/errors/refused.js';
import { OAuthAdmission } from '../guards/oauth-admission.js';
import { Pages, type ErrorPage } from './pages.js';

/** Maximum length of the name of a field in an error. */
const MAX_NAME_LENGTH = 40;

/** Differences of a page from the default. */
interface PageKind {
  /** The rate limit per address. */
  quota: 'PAGES' | 'PREVIEWS' | 'WORKBENCH';
  /** Renders an error as such a page. */
  pages: Type<{ problem(reply: FastifyReply, problem: ErrorPage): Promise<void> }>;
  /** The title above an error. */
  titleOf: (status: number) => string;
}

const DEFAULTS: PageKind = {
  quota: 'PAGES',
  pages: Pages,
  titleOf: (status) => (status === 429 ? 'Too many requests' : 'Something went wrong'),
};

const CONTROL_CHARACTER = /\p{Cc}/u;
/** Texts of several lines, and what they must not have. */
const TEXT_AREAS: readonly string[] = ['base_string'];
const IN_TEXT_AREA = /[^\P{Cc}\t\n\r]/u;

/** Fields are keys, ids, names and passwords. No browser sends a control character in them, and no database takes NUL. */
function checkFields(fields: Parameters): void {
  for (const [name, value] of Object.entries(fields)) {
    const refused = TEXT_AREAS.includes(name) ? IN_TEXT_AREA : CONTROL_CHARACTER;
    if ([value].flat().some((text) => refused.test(text)))
      throw invalid(
        truncate(name, MAX_NAME_LENGTH),
        `Expected text without control characters for ${truncate(name, MAX_NAME_LENGTH)}`,
      );
  }
}

/** Limits the page requests of an address, and rejects fields that no form sends. */
function guardBy(quota: PageKind['quota']): Type<CanActivate> {
  @Injectable()
  class PageGuard implements CanActivate {
    constructor(private readonly admission: OAuthAdmission) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const request = http.getRequest<FastifyRequest>();
      await this.admission.admitAddress(request, http.getResponse<FastifyReply>(), quota);
      checkFields(request.query as Parameters);
      return true;
    }
  }
  return PageGuard;
}

/** Answers errors with a page for people. Unexpected errors are left to ApiErrorFilter. */
function filterBy({ pages: shown, titleOf }: PageKind): Type<ExceptionFilter<ApiError>> {
  @Catch(ApiError)
  @Injectable()
  class PageErrorFilter implements ExceptionFilter<ApiError> {
    constructor(@Inject(shown) private readonly pages: InstanceType<PageKind['pages']>) {}

    async catch(error: ApiError, host: ArgumentsHost): Promise<void> {
      const { status, message, headers } = error;
      const reply = host.switchToHttp().getResponse<FastifyReply>();
      noteRefusal(reply.request, error);
      const wait = headers['retry-after'];
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      const text = wait ? `Please try again in ${wait} seconds.` : message;
      await this.pages.problem(reply, { title: titleOf(status), text, status });
    }
  }
  return PageErrorFilter;
}

/** A controller of pages. */
export function PageController(path: string | string[], differences: Partial<PageKind> = {}) {
  const kind = { ...DEFAULTS, ...differences };
  return applyDecorators(
    ApiExcludeController(),
    Controller(path),
    UseGuards(guardBy(kind.quota)),
    UseFilters(filterBy(kind)),
  );
}
