import { Get } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { pageNotFound } from '../../common/errors/catalogue.js';
import { Returns } from '../../common/http/answers/returns.js';
import type { Caller } from '../caller.js';
import { ANY_SCOPES } from '../credentials/scopes.js';
import { UsersService } from '../credentials/users.service.js';
import { CurrentCaller } from '../guards/ads-controller.js';
import { UserController } from '../guards/user-controller.js';

/** The user of a token. */
class UserSelfView {
  /** The id of the user. */
  @ApiProperty({ type: String, example: '1790000000000001' }) id: string;
  /** The name. */
  @ApiProperty({ type: String, example: 'Demo User' }) name: string;
  /** The username. */
  @ApiProperty({ type: String, example: 'demo' }) username: string;
}

/** The user on whose behalf a request is sent. */
@UserController('2/users', { tag: 'Authentication', scopes: ANY_SCOPES })
export class UserSelfController {
  constructor(private readonly users: UsersService) {}

  /** Returns the user of the access token. Every scope will do. */
  @Get('me')
  @Returns(UserSelfView)
  async getMe(@CurrentCaller() caller: Caller): Promise<UserSelfView> {
    const [user] = await this.users.findByIds([caller.userId]);
    // deleted since the request was admitted
    if (!user) throw pageNotFound();
    const { id, name, username } = user;
    return { id, name, username };
  }
}
