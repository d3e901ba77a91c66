import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FlowsService } from '../oauth1/flows.service.js';
import { PageController } from './page.guard.js';
import { Pages, secured } from './pages.js';
import { formOf, Visits } from './visits.js';

/** What can act for the user, and how to end it. */
@PageController('oauth/applications')
export class ConnectedAppsController {
  constructor(
    private readonly flows: FlowsService,
    private readonly visits: Visits,
    private readonly pages: Pages,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const visit = await this.visits.of(request, reply);
    if (!visit.user) return this.pages.show(reply, 'sign-in', visit);
    await this.pages.show(reply, 'applications', visit, {
      connections: await this.flows.connections(visit.user.userId),
    });
  }

  @Post()
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const visit = await this.visits.of(request, reply);
    if (!visit.user) return this.pages.show(reply, 'sign-in', visit);
    if (!this.visits.isOurForm(request)) {
      const connections = await this.flows.connections(visit.user.userId);
      const error = 'This page was out of date. Please try again.';
      return this.pages.show(reply, 'applications', visit, { connections, error }, { status: 403 });
    }
    const { application_id: id } = formOf(request);
    if (id) await this.flows.disconnect(visit.user.userId, id);
    await secured(reply).redirect(`${visit.prefix}/oauth/applications`, 303);
  }
}
