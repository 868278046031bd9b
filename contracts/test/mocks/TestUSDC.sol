// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title Test USDC
/// @notice Six decimals, a pause and a blacklist, with the rules and the messages of the real one.
/// @dev For development chains and tests only. One administrator has every role of the real token.
contract TestUSDC is IERC20 {
    /// @notice Shown by wallets.
    string public constant name = "Test USDC";
    /// @notice Shown by wallets.
    string public constant symbol = "USDC";
    /// @notice Base units are millionths.
    uint8 public constant decimals = 6;

    /// @notice Who may mint, pause and blacklist.
    address public immutable administrator;
    /// @notice Whether nothing moves.
    bool public paused;
    /// @inheritdoc IERC20
    uint256 public totalSupply;
    /// @inheritdoc IERC20
    mapping(address account => uint256) public balanceOf;
    /// @inheritdoc IERC20
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    /// @notice Whether the account can neither send nor receive.
    mapping(address account => bool) public isBlacklisted;

    /// @notice The pause was set or lifted.
    event PauseChanged(bool paused);
    /// @notice An account was put on the blacklist or taken off it.
    event BlacklistChanged(address indexed account, bool blacklisted);

    /// @dev Refuses everybody but the administrator.
    modifier onlyAdministrator() {
        require(msg.sender == administrator, "FiatToken: caller is not the administrator");
        _;
    }

    /// @dev Refuses while the token is paused.
    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    /// @dev Refuses an account on the blacklist.
    modifier notBlacklisted(address account) {
        require(!isBlacklisted[account], "Blacklistable: account is blacklisted");
        _;
    }

    /// @notice Whoever deploys it is the administrator.
    constructor() {
        administrator = msg.sender;
    }

    /// @notice Makes money.
    /// @param to Who gets it.
    /// @param amount Base units.
    function mint(address to, uint256 amount)
        external
        onlyAdministrator
        whenNotPaused
        notBlacklisted(to)
    {
        require(to != address(0), "FiatToken: mint to the zero address");
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    /// @notice Stops or allows every movement.
    /// @param paused_ Whether nothing moves.
    function setPaused(bool paused_) external onlyAdministrator {
        paused = paused_;
        emit PauseChanged(paused_);
    }

    /// @notice Puts an account on the blacklist or takes it off.
    /// @param account Which one.
    /// @param blacklisted Whether it can neither send nor receive.
    function setBlacklisted(address account, bool blacklisted) external onlyAdministrator {
        isBlacklisted[account] = blacklisted;
        emit BlacklistChanged(account, blacklisted);
    }

    /// @inheritdoc IERC20
    function approve(address spender, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(spender)
        returns (bool)
    {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    /// @inheritdoc IERC20
    function transfer(address to, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        _move(msg.sender, to, amount);
        return true;
    }

    /// @inheritdoc IERC20
    function transferFrom(address from, address to, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(from)
        notBlacklisted(to)
        returns (bool)
    {
        require(
            amount <= allowance[from][msg.sender], "ERC20: transfer amount exceeds allowance"
        );
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    /// @dev Takes from one and gives to the other.
    function _move(address from, address to, uint256 amount) private {
        require(to != address(0), "ERC20: transfer to the zero address");
        require(amount <= balanceOf[from], "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
