import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable, Get, Res } from '@nestjs/common';
import { Eta } from 'eta';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '../../auth/credentials/application.entity.js';
import { ApplicationQueries } from '../../auth/credentials/application.queries.js';
import { BrowserSessions, type BrowserSession } from '../../auth/pages/browser-sessions.js';
import { hasAdsAccess, type EndpointPolicy } from '../../auth/guards/endpoint-policy.js';
import { noAdsAccess } from '../../common/errors/catalogue.js';
import { readFileForm } from '../../common/http/bodies/file-forms.js';
import { ApiError, errorsOf } from '../../common/errors/api-error.js';
import { PageAssets, Pages, withSecurityHeaders } from '../../auth/pages/pages.js';
import { NamespacesService } from '../namespaces/namespaces.service.js';
import { SECTIONS, sectionPath, type SectionPath, WorkbenchPageController } from './sections.js';

/** Templates are named by their path below this folder. */
const folder = fileURLToPath(new URL('..', import.meta.url));
const fileText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8').trim();
const ASSETS = new PageAssets(fileText('./style.eta'), `${fileText('./live.eta')}\n${fileText('./actions.eta')}`);

/** A user who is signed in. */
type SignedInSession = BrowserSession & Required<Pick<BrowserSession, 'user'>>;

/** A user at a page of one of their applications. */
export interface Visit {
  session: SignedInSession;
  application: Pick<Application, 'id' | 'name' | 'consumerKey' | 'ownerId' | 'adsAccess' | 'conversionsOnly'>;
}

/** A page of a section. */
interface SectionPage {
  section: SectionPath;
  /** The name of the template, such as `journal/requests`. It shows `data`. */
  template: string;
  data: object;
  /** The title of the window. */
  title: string;
  status?: number;
  /** True if parts of the page (`data-live`) are kept current. A response to a form never is: its address may have no page. */
  isLive?: boolean;
  /** Origins of the images and frames that it shows. */
  embeds?: readonly string[];
}

/** Access to all endpoints, or to those about conversions; null where the application needs none. */
export type AccessNeeded = Pick<EndpointPolicy, 'ofMeasurement'> | null;

type ShowError = (visit: Visit, error: ApiError) => Promise<void>;

/** Renders the pages of the workbench. The script keeps lists current, copies texts and opens branches of trees in place: everything works without it. */
@Injectable()
export class WorkbenchPages {
  private readonly eta = new Eta({ views: folder, cache: true, autoEscape: true });

  constructor(
    private readonly applications: ApplicationQueries,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
    private readonly namespaces: NamespacesService,
  ) {}

  /** The session of a user who is signed in. Otherwise answers with the sign-in form, which leads back, and returns undefined. */
  async signedIn(reply: FastifyReply): Promise<SignedInSession | undefined> {
    const { request } = reply;
    const session = await this.browserSessions.of(request, reply);
    if (session.user) return { ...session, user: session.user };
    await this.pages.show(reply, 'sign-in', session, { next: request.method === 'GET' ? request.url : '/workbench' });
    return undefined;
  }

  /**
   * The signed-in user at the application of the path, which they own. Otherwise answers and returns undefined: with 404
   * for unknown applications and those of others alike. The creator of a namespace visits its application as its user.
   */
  async open(reply: FastifyReply): Promise<Visit | undefined> {
    const session = await this.signedIn(reply);
    if (!session) return undefined;
    const { application_id: id } = reply.request.params as { application_id: string };
    const application = await this.applications.findById(id);
    const { user } = session;
    if (application?.ownerId === user.userId) return { session, application };
    const userId = application && (await this.namespaces.userFor(application.id, user.userId));
    if (application && userId) return { session: { ...session, user: { ...user, userId } }, application };
    await this.pages.problem(reply, NO_APPLICATION, session);
    return undefined;
  }

  /** Throws unless the form of a POST comes from a page of this session. */
  requireOwnForm(request: FastifyRequest): void {
    if (!this.browserSessions.isOurForm(request)) throw OUT_OF_DATE;
  }

  /**
   * Carries out a form and redirects to its section, with the query that `work` returns. `showError` shows an error of
   * the form above the section. `needs`: see `answer`.
   */
  carryOut(
    reply: FastifyReply,
    section: SectionPath,
    work: (visit: Visit) => Promise<string | void>,
    showError: ShowError,
    needs?: AccessNeeded,
  ): Promise<void> {
    return this.answer(
      reply,
      async (visit) => this.redirect(reply, visit, section, (await work(visit)) ?? ''),
      showError,
      needs,
    );
  }

  /** The same for a form that `work` answers with a page. `needs`: the access that the application must have, as for a request. */
  async answer(
    reply: FastifyReply,
    work: (visit: Visit) => Promise<void>,
    showError: ShowError,
    needs: AccessNeeded = {},
  ): Promise<void> {
    const visit = await this.open(reply);
    if (!visit) return;
    try {
      // the token is a field before the file
      await readFileForm(reply.request, visit.session.user.userId);
      this.requireOwnForm(reply.request);
      if (needs && !hasAdsAccess(visit.application, needs)) throw noAdsAccess();
      await work(visit);
    } catch (error) {
      const shown = joined(errorsOf(error));
      reply.headers(shown.headers);
      await showError(visit, shown);
    }
  }

  /** Sends the list of the user's applications. */
  async showApplications(reply: FastifyReply, session: SignedInSession): Promise<void> {
    const owned = await this.applications.listOwnedBy(session.user.userId);
    const { prefix, user } = session;
    const applications = owned.slice(0, MAX_APPLICATIONS).map(({ id, name, consumerKey }) => ({
      id,
      name,
      consumerKey,
      link: `${prefix}${sectionPath(id, SECTIONS[0].path)}`,
    }));
    const more = owned.length - applications.length;
    const body = this.eta.render('pages/applications', { applications, more, username: user.username });
    await this.pages.wrap(reply, session, { title: 'Workbench', body }, { assets: ASSETS });
  }

  /** Sends a page of a section. Its template also gets `base`, the path of the section in the browser, `pathOf` for others, and `csrf`. */
  async show(reply: FastifyReply, { session, application }: Visit, page: SectionPage): Promise<void> {
    const { section: current, template, data, title, status, isLive = false, embeds } = page;
    const { prefix, csrf } = session;
    const isGet = reply.request.method === 'GET';
    const pathOf = (section: SectionPath) => `${prefix}${sectionPath(application.id, section)}`;
    const content = this.eta.render(template, { ...data, base: pathOf(current), pathOf, csrf });
    const body = this.eta.render('pages/section', {
      application,
      content,
      isLive: isLive && isGet,
      overview: `${prefix}/workbench`,
      refresh: `${prefix}${isGet ? reply.request.url : sectionPath(application.id, current)}`,
      tabs: SECTIONS.map(({ path, title }) => ({ title, link: pathOf(path), isCurrent: path === current })),
    });
    const window = `${title} · ${application.name}`;
    await this.pages.wrap(reply, session, { title: window, body }, { status, assets: ASSETS, embeds });
  }

  /** Redirects to a page of a section after a form. `rest`: a query, a fragment, or both. */
  async redirect(
    reply: FastifyReply,
    { session, application }: Visit,
    section: SectionPath,
    rest: string,
  ): Promise<void> {
    const location = `${session.prefix}${sectionPath(application.id, section)}${rest}`;
    await withSecurityHeaders(reply).redirect(location, 303);
  }
}

/** The problems of a form as one error. */
const joined = ([first, ...others]: readonly ApiError[]): ApiError =>
  others.length === 0
    ? first
    : new ApiError(first.status, first.code, [first, ...others].map(({ message }) => message).join('. '), first.detail);

const MAX_APPLICATIONS = 200;

const OUT_OF_DATE = new ApiError(403, 214, 'This page was out of date. Please try again.');

const NO_APPLICATION = {
  title: 'Not found',
  text: 'You do not own an application with this id.',
  status: 404,
  reason: 'not-owner',
};

/** The page of the applications that a user owns. */
@WorkbenchPageController('workbench')
export class WorkbenchApplicationsController {
  constructor(private readonly pages: WorkbenchPages) {}

  @Get()
  async list(@Res() reply: FastifyReply) {
    const session = await this.pages.signedIn(reply);
    if (session) await this.pages.showApplications(reply, session);
  }

  @Get('applications/:application_id')
  async open(@Res() reply: FastifyReply) {
    const visit = await this.pages.open(reply);
    if (visit) await this.pages.redirect(reply, visit, SECTIONS[0].path, '');
  }
}
