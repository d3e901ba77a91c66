import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { Params } from '../../../common/http/params/params.js';
import { ReturnsPage } from '../../../common/http/answers/returns.js';
import { presentPublisher, PublisherView } from './publisher.presenter.js';
import { ListPublishers } from './publishers.dto.js';
import { PublishersService } from './publishers.service.js';

@CallerController('publishers', { tag: 'Reference data' })
export class PublishersController {
  constructor(private readonly publishers: PublishersService) {}

  /** Lists the users whose videos can carry ads. */
  @Get()
  @ReturnsPage(PublisherView)
  async list(@Params() query: ListPublishers) {
    return (await this.publishers.list(query)).map(presentPublisher);
  }
}
