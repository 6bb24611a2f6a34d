//! Tables, each entry rounded down. The test at the end computes them again from the plain form.

/// ln 2 · 2^128.
pub(super) const LN_2: u128 = 0xb17217f7d1cf79abc9e3b39803f2f6af;

/// For v in [128 + i, 129 + i) / 256 the largest c/512 with c·v/512 ≤ 1 throughout: ⌊512·256 / (129 + i)⌋.
pub(super) const RECIPROCALS: [u16; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = ((512 * 256) / (129 + i)) as u16;
        i += 1;
    }
    table
};

/// ln(RECIPROCALS / 512) · 2^127.
#[rustfmt::skip]
pub(super) const LN_RECIPROCALS: [u128; 128] = [
    0x57b80aa49059d5c358257f49081f7a63, 0x56b50130d67cb3eca6aa97c08e6a0422,
    0x55afe756cfce650471885cd8ff2ce6e0, 0x54a8b4996f16abb9df22bc56cbd753df,
    0x53c0a8f4c0bc185f453abe04ddd699db, 0x52d6f5a55b89ce3785f9411588d657fe,
    0x51c9d0fcceaab4c6b67809514a40603b, 0x50dc7d2788f6742e539ce2355af9e40a,
    0x4fed6e1345bd096d3a754172aeef3642, 0x4efc9d3c2e9c32cd5078dc66fc9a3c9e,
    0x4e0a03f961e5fafea42c9d591a306ae7, 0x4d38a27673874c5bae4b6217393ab929,
    0x4c42a762118c48a4548bd7b69f40a7b1, 0x4b6e555c83788b193ef07774573e1248,
    0x4a74dffb0ac22b21735b2e9733edae86, 0x499d8804d0c37f34ab543f1cc6c6cee1,
    0x48a07ecd19867d3f9321dfec1dfc3add, 0x47c60a8a6bf6c1b005c91d2e607568fb,
    0x46ea1ef263b06ae4017e6f4877849d89, 0x460cb6f2898b6362bf0ab2e0fac631a7,
    0x452dcd5de673444e0f1fe5c87cc121cc, 0x444d5cec498a060f85e3ea4f49d5c89f,
    0x4391261747322fdbab977a5a58f8d1fb, 0x42addafb3853470149b655d604cf7435,
    0x41c8f970737d01395e58e2445baad95b, 0x410902e597953085ca7518f79ed95b5a,
    0x4021294a6dce17a3b2f50973719783e8, 0x3f5eb11ef1e63db35f67c9d50d7f636a,
    0x3e73cb79023cb79a00e22113986cef29, 0x3daec0b2eccc76a13c0040073b71841c,
    0x3ce884c3ad0f0fc6fb46de79768dda02, 0x3c2113f44ba2d07d7ac0201ac65c3745,
    0x3b586a7c58b2a8461cd2e0686fe0f0b0, 0x3a8e84817dbbab15292e55bf2a5a3338,
    0x39c35e170be7d6f6fa57955a133a4e21, 0x38f6f33d86dd5f03ad635e7c32f7964c,
    0x38293fe22be04d59a1a379fce7d84d2d, 0x375a3fde7522cae4e7a7a3c992610643,
    0x3689eef7991ec5197ddb55d31c3c7790, 0x35e252648ef0d6226708942bb8501871,
    0x350f982cbb63323c45e12070c9511d1d, 0x3466080409f4c6e6953c9a38edd970dd,
    0x3390d605b810c537408a4b115ef988a5, 0x32e5468226a2b0d2e04e925b86ca420e,
    0x320d8dc4388ea73cc74b1606056879de, 0x315ff2b4cc2effd1d3f2895ea16d7049,
    0x3085a3b43d162e927628cbc233b34478, 0x2fd5f077055f86c9674bcf694a821b8b,
    0x2f254abfba8f44f82bb48ff4f6b40acf, 0x2e73afed77a00d39c498a7f5a7def2d5,
    0x2dc11d545743c718272631ae2f85e062, 0x2d0d903d36295d88857c2029c70d2c96,
    0x2c5905e5738f2a5edebe454c03945ce4, 0x2ba37b7eb01394a11b1c1ee3ff08acf9,
    0x2aecee2e8ab4d8a9356d941b305e807c, 0x2a355b0e5bf05a13927ac19f55e311d4,
    0x297cbf2aeef141b6993293edfb0c8f5c, 0x28c3178438bd84fa16f66f6678e6882b,
    0x2808610d0d4fc77a1824fbe98c94c2b2, 0x277ba49d6296d425b478c8934f9f8655,
    0x26bf0cb926527c10d8af2d5b055710f6, 0x26015d5a0c6a17ab45bafe55d7f14d5a,
    0x25726075713a493b4a5013d6a95df5ac, 0x24b2c021beec73de112751f142c460b3,
    0x24224ab30c2c173c5d14a861d7a83c0c, 0x2360af23e0f6915cc91d50e97d6d16f0,
    0x22ceb957574c1c07398faae20dc5c11f, 0x220b17f35c95aa313f4156996639f0a6,
    0x217799b61a497996662ee6fdadfedb65, 0x20b1e78e07d78bcca196e4a947876bb5,
    0x201cd88b5aa0398d1aa5c024054c581c, 0x1f871b28955045014ad6c8812d31a604,
    0x1ef0adcbdc59365218de5437083214fa, 0x1e27076e2af2e5e9ea87ffe1fe9e155d,
    0x1d8ef91af31d5df40793670f8e9ae3b4, 0x1cf6354e09c5dc48e681f556da55a107,
    0x1c5cba543ae424a77b2d153f1ca16e7c, 0x1bc286742d8cd629f9ce890e1ea9e1e2,
    0x1b2797ee46320bbab7c97fab8c23eb1d, 0x1a8becfc882f18c2e790dce78c2a2b16,
    0x19ef83d2769a33d213018c8018b50ad5, 0x19525a9cf456b47641307538b8967626,
    0x18b46f8223625b3e4205baf925d8c52f, 0x1815c0a14357ead6836ff18bf538a1ad,
    0x17764c128f21274903479e3d133733ff, 0x16d60fe719d21c8d54765c4cba1bc6fb,
    0x16350a28aaa757b02ae058eba7333cd3, 0x159338d9982085d345baaaea5062b070,
    0x1526e5e3a1b437a2e401d6e3cb19a6db, 0x1483bccce6e3dd4a4e47ec6d2c88e935,
    0x13dfc2b0ecc629ca98ae304fdfd125f8, 0x133af575770e4f66517f395247a7dcb3,
    0x12cca0f5f5f25087372807703fa7911b, 0x12266f190a5acb7d51efc6027a21eea4,
    0x117f6458fca610feb424f237020065bb, 0x110f8e422539b131ef31a73e36fae01c,
    0x10671512ca596e2a18c8fd70c931859c, 0x0fbdbcff61beef678176812fe87d20e5,
    0x0f4c5aa4b38a33ba44e2874b53302ec6, 0x0ea189eb3659aeaf21bb2a3b21f44825,
    0x0e2f2a47ade3a18aeb0bf7c0b0d8bb4e, 0x0d82da4df721ff22c18f84a5e530b063,
    0x0d0f78ec030e6a0bb6fcbde58bbf9379, 0x0c61a2eb18cd907ad65a1532f6d5a1ab,
    0x0bed3b36bd8966422240644d7d9ed08a, 0x0b78694572b5a5cdf24cdcf68cdb2067,
    0x0ac8657ef80e1427ab9155d4eda32a3f, 0x0a52869d50d82007b3dda307755ed27b,
    0x09dc3acc58db76fa9ad4d73b5a1749cf, 0x0929fb17850a0b7c7db4d38076605169,
    0x08b29b7751bd7074312e0b9ee992f236, 0x083acc1acc7238980da5333c45b7f442,
    0x078641c309d8056e66e7585e823f248f, 0x070d57742487cb3326afe0e20e2c7478,
    0x0693fa7fe8f48d3dafdfeb6d93298464, 0x061a2a0c20fdb3b8bd96a72daf094827,
    0x056296ebf23935231aa3d4b1d48dd980, 0x04e7a1ee7faf57ea4056c80aae45391a,
    0x046c366248f65ff0b28bbb229dbf412a, 0x03f05361cf0660099f1f8278f7914fd7,
    0x0373f804f5f232ff7a8cb6eb11bcc33f, 0x02f72360fab6235524fea98e2d7803b9,
    0x0279d48868d4ae9de694adfa98bc8663, 0x01fc0a8b0fc03e3cf9eda74d37abd56d,
    0x017dc475f810a76dd2512f05841be6a1, 0x00ff015358833c47e1bb481c8ee14169,
    0x007fc02a8ac42f012821ad5a6d352dda, 0x00000000000000000000000000000000,
];

/// e^(j/64) · 2^127 for j/64 < ln 2.
#[rustfmt::skip]
pub(super) const EXP_64THS: [u128; 45] = [
    0x80000000000000000000000000000000, 0x8204055aaef1c8bd5c3259f4822735a2,
    0x84102b00893f64c705e841d5d4064bd3, 0x862491b414f45e14967f31eb2594af50,
    0x88415abbe9a76bead8d00cf112e4d4a8, 0x8a66a7e4c4e6b22aaf50ce3713ce2f05,
    0x8c949b83a7066b449e8c66dd40755e14, 0x8ecb5877f873c9e8ac7a4d3206c3015f,
    0x910b022db7ae67ce76b441c27035c6a1, 0x9353bc9fb00b215aeb9860044d070592,
    0x95a5ac59b963ca809bb3e062cebec9a5, 0x9800f67b00d7b805eae44b1a7ffaabe3,
    0x9a65c0b85ac1a96a7062465be33249a2, 0x9cd4315e9e0832fba34f397a1f83baa8,
    0x9f4c6f5508ee5d51bbdee0206028ab6b, 0xa1cea21faf8ac771d268bc652de9f407,
    0xa45af1e1f40c333b3de1db4dd55f29a7, 0xa6f1876108f3009da911f650b893501c,
    0xa9928c067d67bb6516cc14c91b4fdb27, 0xac3e29e2d3d7813b0e93c017936f2fa0,
    0xaef48bb022ffa9da89923298baa201e1, 0xb1b5dcd4c192c26939863ee4919e1311,
    0xb4824965fca1967ed7cc08291bd3a598, 0xb759fe2ad8f3ada4eb266eee5f9881bf,
    0xba3d289edf7b5311a3c5b2cd849202e2, 0xbd2bf6f4f511ef19fdaedb7097ac8074,
    0xc026981a3daa2e5d65cddb8c44a5ecea, 0xc32d3bb90b262a0aee10dd0a52ad1394,
    0xc640123bd8007ee126da076c298885f7, 0xc95f4cd04df7fdb99bfe7ce9f9e4fa85,
    0xcc8b1d6a58ee609b8c7b829a74501497, 0xcfc3b6c7462b3282c0bf5eb90cc0f4e8,
    0xd3094c70f034de4b96ff7d5b6f99fcd8, 0xd65c12c0f772a298dbec9f0a23f3b4e3,
    0xd9bc3ee407caf5176670eb831541ab5f, 0xdd2a06dd2b72af4b7809cf1c1ae0267b,
    0xe0a5a1892b223221955289dd211002f5, 0xe42f46a1fbe683dd1461033040027983,
    0xe7c72ec23ac545bf66c74a26eccc4bb2, 0xeb6d9368b66b3bf1c77fd14b89153eb8,
    0xef22aefc071e02e544bd8397b6d52de2, 0xf2e6bcce352a71912542fa88dd47dc64,
    0xf6b9f9206e0a0fc3abd8e26ffed26645, 0xfa9ca126c87af32bb68e7a573b84c167,
    0xfe8ef30c17c644e961db684632cb9121,
];

#[cfg(test)]
pub(super) mod tests {
    use num_bigint::BigInt;

    use super::super::plain::Interval;
    use super::*;

    pub(in super::super) const BITS: u64 = 256;

    pub(in super::super) fn floor_at(x: &Interval, bits: u64) -> BigInt {
        let (low, high) = (x.low() >> (x.bits() - bits), x.high() >> (x.bits() - bits));
        assert_eq!(low, high, "256 bits decide every entry");
        low
    }

    #[test]
    fn ln_2_is_as_computed() {
        assert_eq!(BigInt::from(LN_2), floor_at(&Interval::ln_2(BITS), 128));
    }

    #[test]
    fn logarithms_are_as_computed() {
        for (c, entry) in RECIPROCALS.into_iter().zip(LN_RECIPROCALS) {
            if c == 512 {
                assert_eq!(entry, 0);
            } else {
                let ln = Interval::ln(&c.into(), 9, BITS).unwrap();
                assert_eq!(BigInt::from(entry), floor_at(&ln, 127), "{c}");
            }
        }
    }

    #[test]
    fn exponentials_are_as_computed() {
        for (j, entry) in EXP_64THS.into_iter().enumerate() {
            let (m, n) = Interval::ratio(&j.into(), &64u32.into(), BITS).unwrap().exp().unwrap();
            assert_eq!(n, 0);
            let floor = if j == 0 { m.low() >> (BITS - 127) } else { floor_at(&m, 127) };
            assert_eq!(BigInt::from(entry), floor, "{j}");
        }
    }
}
